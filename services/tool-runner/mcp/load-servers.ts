import { isServerId } from "#shared/contracts/tool-names.ts";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { builtInConfig } from "#shared/agent-config/built-in-config.ts";
import { loadAgentConfig } from "#shared/agent-config/load-agent-config.ts";
import { maskingRulesOf } from "#shared/agent-config/masking-rules-of.ts";
import { parseDuration } from "#shared/agent-config/parse-duration.ts";
import type { McpServerEntry } from "#shared/agent-config/schemas/tarsy-file.ts";
import { renderTemplate, variablesOf } from "#shared/contracts/text-template.ts";
import { TerminalError, errorMessage } from "#shared/errors.ts";
import type { MaskingRules } from "#shared/masking/masking-rules.ts";
import { type Environment, secretVariable } from "#shared/service/environment.ts";
import {
  type Auth,
  DEFAULT_SETTINGS,
  type HttpSettings,
  type OAuth,
  type ServerSettings,
} from "./server-settings.ts";
import type { ServerToolRules } from "#shared/agent-config/tool-rules.ts";
import { KEYS_MISSING, TokenKeys } from "./oauth/token-keys.ts";
import { runbookSettings, type RunbookSettings } from "../runbooks/runbook-settings.ts";

type Insert = (template: string) => string;

interface LoadedServers {
  readonly servers: readonly ServerSettings[];
  /** The configured rules for the tools of each server, also of those that cannot be used. */
  readonly rules: ReadonlyMap<string, ServerToolRules>;
  /** Keyed by server id; without a `tarsy.yaml` those of the built-in servers. */
  readonly maskingRules: ReadonlyMap<string, MaskingRules>;
  /** Keyed by id, why a server of the configuration cannot be used. */
  readonly unavailable: ReadonlyMap<string, string>;
  /** Undefined where no runbook is fetched. */
  readonly runbooks: RunbookSettings | undefined;
  /** The keys that encrypt authorizations by people; undefined without MCP_TOKEN_KEYS. */
  readonly tokenKeys: TokenKeys | undefined;
  /** One line for each server of the file, not for a built-in one, that cannot be used. */
  readonly warnings: readonly string[];
}

/**
 * The MCP servers of a configuration directory with the values of `env` inserted; none without a `tarsy.yaml`. One whose
 * settings cannot be completed (an unset variable, a missing file) is unavailable and stops nothing else, because it may
 * be one that no agent uses. Throws AgentConfigError for an invalid configuration, and TerminalError for invalid keys.
 */
export async function loadServers(configDir: string, env: Environment): Promise<LoadedServers> {
  const servers: ServerSettings[] = [];
  const unavailable = new Map<string, string>();
  const warnings: string[] = [];
  const rules = new Map<string, ServerToolRules>();
  const tokenKeys = TokenKeys.read(env);
  if (!existsSync(join(configDir, "tarsy.yaml"))) {
    const maskingRules = maskingRulesOf(builtInConfig().mcpServers);
    return { servers, rules, maskingRules, unavailable, warnings, tokenKeys, runbooks: undefined };
  }
  const config = await loadAgentConfig({ configDir, env });
  const { mcpServers, origins, packDefinitions } = config;
  for (const [id, entry] of mcpServers) {
    rules.set(id, rulesOf(entry));
    try {
      if (entry.auth?.type === "oauth" && tokenKeys === undefined) throw invalid(KEYS_MISSING);
      const settings = await readServer(id, entry, configDir, env);
      const accepted = packDefinitions.get(id);
      servers.push(accepted === undefined ? settings : { ...settings, accepted });
    } catch (error) {
      unavailable.set(id, errorMessage(error));
      const isWritten = origins.has(`mcp_servers.${id}.transport.type`) || packDefinitions.has(id);
      if (!isWritten) continue;
      warnings.push(`MCP server ${id} is not available: ${errorMessage(error)}`);
    }
  }
  const runbooks = runbookSettings(config, env);
  const maskingRules = maskingRulesOf(mcpServers);
  return { servers, rules, maskingRules, unavailable, warnings, tokenKeys, runbooks };
}

function rulesOf({ tools }: McpServerEntry): ServerToolRules {
  return { ...DEFAULT_SETTINGS.tools, ...tools };
}

function inserted(template: string, env: Environment): string {
  const missing = variablesOf(template).filter((name) => secretVariable(env, name) === "");
  if (missing.length > 0) throw invalid(`${missing.join(", ")} is not set`);
  return renderTemplate(template, (name) => secretVariable(env, name));
}

/** The settings of one server with the values of `env` inserted. Throws TerminalError, whose message says what is missing or wrong. */
export async function readServer(
  id: string,
  entry: McpServerEntry,
  configDir: string,
  env: Environment,
): Promise<ServerSettings> {
  if (!isServerId(id)) {
    throw invalid("its id must have at most 40 letters, digits, hyphens and single underscores");
  }
  const defaults = DEFAULT_SETTINGS;
  const ms = (text: string | undefined, fallback: number) => parseDuration(text ?? "") ?? fallback;
  const { timeout } = entry.transport;
  return {
    id,
    transport: await readTransport(entry, configDir, (template) => inserted(template, env)),
    protocol: entry.protocol ?? defaults.protocol,
    ...(entry.isolation === undefined ? {} : { isolation: entry.isolation }),
    tools: rulesOf(entry),
    trustAnnotations: entry.trust_annotations ?? defaults.trustAnnotations,
    connectTimeoutMs: ms(entry.connect_timeout, defaults.connectTimeoutMs),
    callTimeoutMs: ms(entry.call_timeout, timeout === undefined ? defaults.callTimeoutMs : timeout * 1_000),
    idleTimeoutMs: ms(entry.idle_timeout, defaults.idleTimeoutMs),
    maxConcurrent: entry.max_concurrent ?? defaults.maxConcurrent,
    maxResultBytes: entry.max_result_bytes ?? defaults.maxResultBytes,
  };
}

async function readTransport(
  { transport, auth }: McpServerEntry,
  configDir: string,
  insert: Insert,
): Promise<ServerSettings["transport"]> {
  const { type, command = "", args = [], env = {}, url = "" } = transport;
  const all = (map: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(map).map(([name, template]) => [name, insert(template)]));
  if (type === "stdio") return { type, command: insert(command), args: args.map(insert), env: all(env) };
  const read = async (file: string | undefined) =>
    file === undefined ? undefined : readFile(resolve(configDir, insert(file)), "utf8");
  const address = URL.parse(insert(url));
  if (address === null || !/^https?:$/u.test(address.protocol)) throw invalid("its url is not an http URL");
  const headers = all(transport.custom_headers ?? {});
  for (const [name, value] of Object.entries(headers)) checkHeader(name, value);
  const [ca, cert, key] = await Promise.all([
    read(transport.ca_file),
    read(transport.client_cert_file),
    read(transport.client_key_file),
  ]);
  const { session_cleanup_url: cleanup } = transport;
  const token = transport.bearer_token === undefined ? undefined : insert(transport.bearer_token);
  checkHeader("Authorization", `Bearer ${token ?? ""}`);
  return {
    type,
    url: address,
    headers,
    verifySsl: transport.verify_ssl ?? true,
    ...(token === undefined ? {} : { bearerToken: token }),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { clientCertificate: { cert, key } }),
    ...(cleanup === undefined ? {} : { sessionCleanupUrl: insert(cleanup) }),
    ...(auth === undefined ? {} : { auth: await readAuth(auth, insert, read) }),
  } satisfies HttpSettings;
}

async function readAuth(
  {
    type,
    issuer,
    client_id,
    client_secret,
    private_key_file,
    algorithm,
    scope,
  }: NonNullable<McpServerEntry["auth"]>,
  insert: Insert,
  read: (file: string | undefined) => Promise<string | undefined>,
): Promise<Auth | OAuth> {
  if (type === "oauth") {
    return {
      type,
      ...(issuer === undefined ? {} : { issuer: insert(issuer) }),
      ...(client_id === undefined ? {} : { clientId: insert(client_id) }),
      ...(client_secret === undefined ? {} : { secret: insert(client_secret) }),
      ...(scope === undefined ? {} : { scope }),
    };
  }
  const key = type === "private_key_jwt" ? await read(private_key_file) : insert(client_secret ?? "");
  return {
    type,
    issuer: insert(issuer ?? ""),
    clientId: insert(client_id ?? ""),
    secret: key ?? "",
    ...(algorithm === undefined ? {} : { algorithm }),
    ...(scope === undefined ? {} : { scope }),
  };
}

/** Refuses characters that a header cannot have, line ends among them. The error of `Headers` would show the value. */
function checkHeader(name: string, value: string): void {
  try {
    new Headers().set(name, value);
  } catch {
    throw invalid(`its header ${name} has characters that a header cannot have`);
  }
}

function invalid(message: string): TerminalError {
  return new TerminalError("invalid_configuration", message);
}
