import { isPersonalMode, readAccessConfig, type AccessConfig } from "#shared/access/access-config.ts";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { readConfigEnvironment } from "#shared/agent-config/config-environment.ts";
import { dashboardOrigin } from "#shared/agent-config/dashboard-origin.ts";
import { loadAgentConfig } from "#shared/agent-config/load-agent-config.ts";
import { stubbedServers } from "#shared/agent-config/stub-tools/read-stub-tools.ts";
import { TerminalError } from "#shared/errors.ts";
import {
  envInteger,
  envPort,
  envText,
  type Environment,
  secretVariable,
} from "#shared/service/environment.ts";
import {
  bindAddress,
  configDirectory,
  databaseUrl,
  natsAdminUrl,
  natsUrl,
  readServiceConfig,
  type ServiceConfig,
} from "#shared/service/service-config.ts";
import { join } from "node:path";
import { type JsonPointer, parsePointer } from "./alerts/json-pointer.ts";
import { readNotificationSettings, type NotificationSettings } from "./notifications/read-settings.ts";
import type { Address } from "./page/forward-sockets.ts";
import { readSignIn, type SignInSettings } from "./sign-in/read-sign-in.ts";
import { readWebhooks, type WebhookSettings } from "./webhooks/read-webhooks.ts";

export interface ApiConfig extends ServiceConfig {
  readonly http: { readonly host: string; readonly port: number };
  readonly databaseUrl: string;
  /** Of a standby for lists; undefined if there is none. */
  readonly databaseReadUrl: string | undefined;
  readonly natsUrl: string;
  /** With the user that may create and update the streams; the same as `natsUrl` where one user does everything. */
  readonly natsAdminUrl: string;
  /** 1 on a single NATS server, 3 on a cluster. */
  readonly natsReplicas: number;
  /** Sessions that ended more days ago are hidden from every reader. */
  readonly retentionDays: number;
  /** The events of sessions that ended more days ago are deleted; timeline, messages and interactions stay. */
  readonly purgeEventsAfterDays: number;
  /** Sessions that were hidden more days ago are removed with all their rows. */
  readonly purgeDays: number;
  /** Open SSE connections at a time. */
  readonly maxSseConnections: number;
  /** Where a JSON alert has its fingerprint; empty means that only the header Idempotency-Key identifies an alert. */
  readonly fingerprintPath: readonly JsonPointer[];
  readonly access: AccessConfig;
  /** The origin of the page, under which clients reach the api too; undefined if none is configured. */
  readonly publicUrl: string | undefined;
  /** How people sign in to the page with an identity provider; undefined if they do not. */
  readonly signIn: SignInSettings | undefined;
  /** How long a connection stays open without a request; longer than that of a proxy in front. */
  readonly keepAliveMs: number;
  /** How long a stop goes on answering after the health port is closed, for a proxy to send requests elsewhere. */
  readonly drainMs: number;
  /** Bytes that request bodies take while they are received: more than the largest one, which comes in chunks. */
  readonly bodyBytesInFlight: number;
  /** Alerts taken in a minute; one identity may submit a fifth. */
  readonly submissionsPerMinute: number;
  readonly agents: AgentConfig;
  /** The ids of the MCP servers that stub-tools.yaml answers for. */
  readonly stubbedServers: ReadonlySet<string>;
  readonly webhooks: WebhookSettings;
  readonly notifications: NotificationSettings;
  /** Where the WebSockets of the page's own origin are forwarded to; undefined if a proxy does that. */
  readonly notifierAddress: Address | undefined;
  /** The value of a variable that prompts insert, as far as this process has it; empty if it has not. */
  readonly readVariable: (name: string) => string;
  /** Where the built page is; without one the api serves no page. */
  readonly pageDirectory: string;
}

const MEBIBYTE = 1024 * 1024;
/** Where clients are identified, one may submit 300 a minute; on one's own machine, what the machine can take. */
const SUBMISSIONS_PER_MINUTE = { authenticated: 1_500, local: 1_000_000 };

/** Reads the environment over `<config-dir>/.env`, and both YAML files. Throws TerminalError listing every mistake. */
export async function loadApiConfig(processEnv: Environment): Promise<ApiConfig> {
  const configDir = configDirectory(processEnv);
  const env = readConfigEnvironment(configDir, processEnv);
  const access = readAccessConfig(env);
  const agents = await loadAgentConfig({ configDir, env });
  const { session_retention_days: writtenDays = 90 } = agents.system.retention ?? {};
  const dashboard = dashboardOrigin(agents.system);
  const http = { host: bindAddress(env), port: envPort(env, "API_PORT", 8080) };
  return {
    ...readServiceConfig(env, { name: "API_HEALTH_PORT", fallback: 8090 }),
    http,
    databaseUrl: databaseUrl(env),
    databaseReadUrl:
      secretVariable(env, "DATABASE_READ_URL") === "" ? undefined : databaseUrl(env, "DATABASE_READ_URL"),
    natsUrl: natsUrl(env),
    natsAdminUrl: natsAdminUrl(env),
    natsReplicas: envInteger(env, "NATS_REPLICAS", { fallback: 1, min: 1, max: 5 }),
    retentionDays: envInteger(env, "RETENTION_DAYS", { fallback: writtenDays, min: 1, max: 36_500 }),
    purgeEventsAfterDays: envInteger(env, "PURGE_EVENTS_AFTER_DAYS", { fallback: 7, min: 1, max: 36_500 }),
    purgeDays: envInteger(env, "PURGE_DAYS", { fallback: 30, min: 1, max: 36_500 }),
    maxSseConnections: envInteger(env, "API_MAX_EVENT_STREAMS", { fallback: 500, min: 1, max: 100_000 }),
    fingerprintPath: parseFingerprintPath(envText(env, "ALERT_FINGERPRINT_PATH", "")),
    publicUrl: dashboard,
    signIn: readSignIn(env, access, dashboard),
    access: {
      ...access,
      origins: new Set([...access.origins, ...(dashboard === undefined ? [] : [dashboard])]),
    },
    keepAliveMs: 1_000 * envInteger(env, "KEEP_ALIVE_SECONDS", { fallback: 15, min: 1, max: 3_600 }),
    drainMs: 1_000 * envInteger(env, "DRAIN_SECONDS", { fallback: 0, min: 0, max: 10 }),
    bodyBytesInFlight: MEBIBYTE * envInteger(env, "API_MAX_BODY_MIB", { fallback: 32, min: 16, max: 65_536 }),
    submissionsPerMinute: envInteger(env, "SUBMISSIONS_PER_MINUTE", {
      fallback: SUBMISSIONS_PER_MINUTE[isPersonalMode(access) ? "authenticated" : "local"],
      min: 5,
      max: 100_000_000,
    }),
    agents,
    readVariable: (name) => secretVariable(env, name),
    stubbedServers: await stubbedServers(configDir, env),
    webhooks: readWebhooks(agents, env),
    notifications: readNotificationSettings(agents, env, http.port),
    notifierAddress: readAddress(env, "NOTIFIER_ADDR"),
    // The same place from the sources and from the bundle in the image.
    pageDirectory: join(import.meta.dirname, "../web/dist"),
  };
}

/** A `host:port`; undefined if the variable is not set. Throws TerminalError naming the variable. */
function readAddress(env: Environment, name: string): Address | undefined {
  const text = envText(env, name, "");
  if (text === "") return undefined;
  const url = URL.parse(`tcp://${text}/`);
  if (url === null || url.host !== text.toLowerCase() || url.port === "") {
    throw new TerminalError(
      "invalid_environment",
      `environment variable ${name} is "${text}": it must be host:port, such as 127.0.0.1:8081`,
    );
  }
  return { host: url.hostname.replace(/^\[(.*)\]$/u, "$1"), port: Number(url.port) };
}

/**
 * Parses `ALERT_FINGERPRINT_PATH`: JSON pointers separated by commas, e.g. `/fingerprint,/startsAt`; empty means none.
 * Throws TerminalError naming an invalid pointer.
 */
function parseFingerprintPath(text: string): readonly JsonPointer[] {
  if (text.trim() === "") return [];
  return text.split(",").map((part) => {
    const written = part.trim();
    const pointer = parsePointer(written);
    if (pointer !== undefined) return pointer;
    throw new TerminalError(
      "invalid_environment",
      `environment variable ALERT_FINGERPRINT_PATH has '${written}': it must be JSON pointers separated by commas, e.g. /fingerprint or /groupKey`,
    );
  });
}
