import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { dashboardOrigin } from "#shared/agent-config/dashboard-origin.ts";
import type { NotificationKind } from "#shared/contracts/webhook-message.ts";
import { TerminalError } from "#shared/errors.ts";
import { envText, type Environment, secretVariable } from "#shared/service/environment.ts";

export interface SlackSettings {
  readonly token: string;
  /** The channel's id. */
  readonly channel: string;
  /** Where the methods of Slack's API are, without a slash at the end. */
  readonly apiUrl: string;
}

export interface WebhookReceiver {
  readonly name: string;
  readonly url: URL;
  /** The key of the signatures. */
  readonly secret: Buffer;
  readonly events: readonly NotificationKind[];
}

/** Who is told, and of what. */
export interface NotificationSettings {
  readonly slack: SlackSettings | undefined;
  readonly webhooks: readonly WebhookReceiver[];
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
    webhooks: (notifications?.webhooks ?? []).map(({ name, url, secret_env, events = DEFAULT_EVENTS }) => ({
      name,
      url: new URL(url),
      secret: readSecret(secret_env, name, env),
      events,
    })),
    pageUrl: isPage ? dashboard_url.replace(/\/+$/u, "") : `http://localhost:${apiPort}`,
  };
}

function readSlack(
  { token_env = "SLACK_BOT_TOKEN", channel = "" }: { readonly token_env?: string; readonly channel?: string },
  env: Environment,
): SlackSettings {
  const token = secretVariable(env, token_env);
  if (token === "") {
    throw invalid(token_env, "is not set: system.slack in tarsy.yaml names it as the bot's token");
  }
  if (!/^[\x21-\x7e]+$/u.test(token)) {
    throw invalid(token_env, "must have visible ASCII characters only, as Slack's tokens do");
  }
  const apiUrl = envText(env, "SLACK_API_URL", "https://slack.com/api");
  if (!/^https?:$/u.test(URL.parse(apiUrl)?.protocol ?? "")) {
    throw invalid("SLACK_API_URL", "must be an address that begins with https:// or http://");
  }
  return { token, channel, apiUrl: apiUrl.replace(/\/+$/u, "") };
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
