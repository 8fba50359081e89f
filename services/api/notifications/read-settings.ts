import { createHash } from "node:crypto";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { dashboardOrigin } from "#shared/agent-config/dashboard-origin.ts";
import { type SystemSection, type WRITE_BACK_TYPES } from "#shared/agent-config/schemas/system-section.ts";
import type { Role } from "#shared/access/identity.ts";
import type { NotificationKind } from "#shared/contracts/webhook-message.ts";
import { TerminalError } from "#shared/errors.ts";
import { parsePointer, type JsonPointer } from "../alerts/json-pointer.ts";
import { envText, type Environment, secretVariable } from "#shared/service/environment.ts";

export interface SlackSettings {
  readonly token: string;
  /** The channel's id. */
  readonly channel: string;
  /** Where the methods of Slack's API are, without a slash at the end. */
  readonly apiUrl: string;
  /** Undefined where nothing is taken from Slack. */
  readonly listening: ListeningSettings | undefined;
}

/** Who may do what from Slack. */
export interface ListeningSettings {
  /** With which connections are opened. */
  readonly appToken: string;
  /** Mail addresses by member. */
  readonly people: ReadonlyMap<string, string>;
  readonly mailDomains: ReadonlySet<string>;
  /** By mail address. */
  readonly roles: ReadonlyMap<string, Role>;
  readonly defaultRole: Role | undefined;
  readonly channelTeams: ReadonlyMap<string, readonly string[]>;
  readonly startSessionsIn: ReadonlySet<string>;
  readonly alertType: string | undefined;
  /** Whether messages have buttons that decide about tool calls. */
  readonly approvals: boolean;
}

/** Where news go; the URL may be a secret. */
export interface NewsDestination {
  /** In rows, metrics and logs. */
  readonly name: string;
  readonly url: URL;
  /** Names the URL without showing it. */
  readonly address: string;
  readonly events: readonly NotificationKind[];
}

export interface WebhookReceiver extends NewsDestination {
  /** The key of the signatures. */
  readonly secret: Buffer;
}

/** A system in which a note is written when a session ends. */
export interface WriteBack extends NewsDestination {
  readonly type: (typeof WRITE_BACK_TYPES)[number];
  readonly token: string;
  readonly user: string;
  readonly project: string | undefined;
  /** Where the alert has the id of the place; undefined where notes need none. */
  readonly key: JsonPointer | undefined;
}

/** Where which news go. */
export interface NotificationSettings {
  readonly slack: SlackSettings | undefined;
  readonly webhooks: readonly WebhookReceiver[];
  readonly teams: readonly NewsDestination[];
  readonly writeBack: readonly WriteBack[];
  /** Where the page is, without a slash at the end: `<pageUrl>/sessions/<id>`. */
  readonly pageUrl: string;
}

const DEFAULT_EVENTS: readonly NotificationKind[] = [
  "session.ended",
  "approval.requested",
  "budget.soft_limit",
  "budget.exceeded",
];

/** The specification asks for 24 to 64 bytes. */
const SECRET = { minBytes: 24, maxBytes: 64 };

/**
 * Reads `system.slack` and `system.notifications` with the secrets that they name. Throws TerminalError `invalid_environment` naming
 * a variable that is not set or has another form.
 */
export function readNotificationSettings(
  { system }: AgentConfig,
  env: Environment,
  apiPort: number,
): NotificationSettings {
  const { slack, notifications, dashboard_url = "" } = system;
  const isPage = dashboardOrigin({ dashboard_url }) !== undefined;
  return {
    slack: slack?.enabled === true ? readSlack(slack, env) : undefined,
    webhooks: (notifications?.webhooks ?? []).map(({ name, url, secret_env, events }) => ({
      ...newsDestination(`webhook:${name}`, new URL(url), events),
      secret: readSecret(secret_env, name, env),
    })),
    teams: (notifications?.teams ?? []).map(({ name, url_env, events }) =>
      newsDestination(`teams:${name}`, readAddress(url_env, name, env), events),
    ),
    writeBack: (notifications?.write_back ?? []).map((entry) => readWriteBack(entry, env)),
    pageUrl: isPage ? dashboard_url.replace(/\/+$/u, "") : `http://localhost:${apiPort}`,
  };
}

function newsDestination(name: string, url: URL, events = DEFAULT_EVENTS): NewsDestination {
  return { name, url, address: createHash("sha256").update(url.href).digest("hex"), events };
}

type SlackSection = NonNullable<SystemSection["slack"]>;

function readSlack(section: SlackSection, env: Environment): SlackSettings {
  const { token_env = "SLACK_BOT_TOKEN", channel = "" } = section;
  const token = readToken(token_env, "the bot's token", env);
  const apiUrl = envText(env, "SLACK_API_URL", "https://slack.com/api");
  if (!/^https?:$/u.test(URL.parse(apiUrl)?.protocol ?? "")) {
    throw invalid("SLACK_API_URL", "must be an address that begins with https:// or http://");
  }
  const listening = section.listen === true ? readListening(section, env) : undefined;
  return { token, channel, apiUrl: apiUrl.replace(/\/+$/u, ""), listening };
}

function readListening(section: SlackSection, env: Environment): ListeningSettings {
  const { app_token_env = "SLACK_APP_TOKEN", default_role = "none", alert_type, approvals = false } = section;
  const small = (text: string) => text.toLowerCase();
  return {
    appToken: readToken(app_token_env, "the app-level token", env),
    people: new Map(Object.entries(section.people ?? {}).map(([id, mail]) => [id, small(mail)])),
    mailDomains: new Set(section.mail_domains?.map(small)),
    roles: new Map(Object.entries(section.roles ?? {}).map(([mail, role]) => [small(mail), role])),
    defaultRole: default_role === "none" ? undefined : default_role,
    channelTeams: new Map(Object.entries(section.channel_teams ?? {})),
    startSessionsIn: new Set(section.start_sessions_in),
    alertType: alert_type,
    approvals,
  };
}

function readToken(variable: string, what: string, env: Environment, section = "slack"): string {
  const token = secretVariable(env, variable);
  if (token === "") {
    throw invalid(variable, `is not set: system.${section} in tarsy.yaml names it as ${what}`);
  }
  if (!/^[\x21-\x7e]+$/u.test(token)) {
    throw invalid(variable, "must have visible ASCII characters only, as tokens do");
  }
  return token;
}

function readAddress(variable: string, channel: string, env: Environment): URL {
  const url = URL.parse(secretVariable(env, variable));
  if (url?.protocol === "https:" || url?.protocol === "http:") return url;
  throw invalid(
    variable,
    `must be the URL of the channel '${channel}', as system.notifications.teams in tarsy.yaml says`,
  );
}

const PUBLIC_APIS: Readonly<Partial<Record<WriteBack["type"], string>>> = {
  pagerduty_note: "https://api.pagerduty.com",
  github_issue: "https://api.github.com",
  gitlab_issue: "https://gitlab.com/api/v4",
  opsgenie_note: "https://api.opsgenie.com",
};

type WriteBackEntry = NonNullable<NonNullable<SystemSection["notifications"]>["write_back"]>[number];

function readWriteBack(entry: WriteBackEntry, env: Environment): WriteBack {
  const { name, type, url = PUBLIC_APIS[type] ?? "", token_env, user = "", project, key } = entry;
  const token = readToken(token_env, `the token of '${name}'`, env, "notifications.write_back");
  const pointer = key === undefined ? undefined : parsePointer(key);
  return {
    ...newsDestination(`note:${name}`, new URL(url), ["session.ended"]),
    type,
    token,
    user,
    project,
    key: pointer,
  };
}

function readSecret(variable: string, receiver: string, env: Environment): Buffer {
  const text = secretVariable(env, variable);
  const named = `system.notifications.webhooks in tarsy.yaml names it as the secret of '${receiver}'`;
  if (text === "") throw invalid(variable, `is not set: ${named}`);
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/u.exec(text)?.[1];
  const key = Buffer.from(encoded ?? "", "base64");
  if (key.length >= SECRET.minBytes && key.length <= SECRET.maxBytes) return key;
  const form = `whsec_ and ${SECRET.minBytes} to ${SECRET.maxBytes} bytes in base64`;
  throw invalid(variable, `must be ${form}: ${named}; echo "whsec_$(openssl rand -base64 32)" makes one`);
}

function invalid(variable: string, why: string): TerminalError {
  return new TerminalError("invalid_environment", `environment variable ${variable} ${why}`);
}
