import { BUILT_IN_SERVER, isServerId } from "#shared/contracts/tool-names.ts";
import type { Loose } from "#shared/agent-config/check-shape.ts";
import { type CheckContext, checkUrl, requireKey } from "#shared/agent-config/checks/check-context.ts";
import { checkPackedServer } from "#shared/agent-config/checks/check-packs.ts";
import { packNames } from "#shared/agent-config/read-packs.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";
import type { DefaultsSection, WrittenServer } from "#shared/agent-config/schemas/tarsy-file.ts";
import { errorMessage } from "#shared/errors.ts";
import { MASKING_PATTERN_GROUPS, MASKING_PATTERNS } from "#shared/masking/patterns/built-in-patterns.ts";
import { compilePattern } from "#shared/masking/patterns/custom-patterns.ts";
import { checkBackend } from "#shared/agent-config/checks/check-agent-providers.ts";
import { CHARS_PER_TOKEN, MIN_SHOWN_CHARS } from "#shared/contracts/result-sizes.ts";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { knownAlertTypes } from "#shared/agent-config/find-chain.ts";
import { stubbedAgents, agentsFor, usedServers } from "#shared/agent-config/used-servers.ts";
import { suggestName } from "#shared/agent-config/suggest-name.ts";

const GROUPS = Object.keys(MASKING_PATTERN_GROUPS);

type TransportEntry = NonNullable<Loose<WrittenServer>["transport"]>;
type AuthEntry = NonNullable<Loose<WrittenServer>["auth"]>;
type MaskingEntry = NonNullable<Loose<WrittenServer>["data_masking"]>;

/** Checks the keys of a written MCP server against each other. */
export function checkMcpServer(id: string, server: Loose<WrittenServer>, context: CheckContext): void {
  const { reporter } = context;
  const { transport, auth, data_masking: masking, summarization } = server;
  if (id === BUILT_IN_SERVER) {
    reporter.error(
      { container: server },
      "must have another id: this one is reserved for the built-in tools",
    );
  }
  if (id.includes(".") || id.includes("__")) {
    reporter.error(
      { container: server },
      'must have an id without dots and double underscores: they separate the server from the tool in "server.tool" and "server__tool"',
    );
  } else if (!isServerId(id)) {
    reporter.warn(
      { container: server },
      "is not used: its id must have at most 40 letters, digits, hyphens and single underscores",
    );
  }
  if (server.pack === undefined) {
    requireKey(server, "transport", "is required without a pack", reporter);
    if (server.settings !== undefined) {
      reporter.error({ container: server, key: "settings" }, "needs `pack` beside it");
    }
  } else {
    const known = packNames(context.configDir);
    reporter.unknownName({ container: server, key: "pack" }, "pack", server.pack, known);
    checkPackedServer(server, context);
  }
  if (transport !== undefined) checkTransport(transport, reporter);
  if (auth !== undefined) checkAuth(auth, reporter);
  // Masking is on unless it is switched off.
  if (masking !== undefined && masking.enabled !== false) checkMasking(masking, reporter);
  if (summarization !== undefined) checkSummarization(summarization, context);
}

function checkTransport(transport: TransportEntry, reporter: Reporter): void {
  const { type } = transport;
  if (type === undefined) return;
  if (type === "stdio") {
    requireKey(transport, "command", `is required for transport type ${type}`, reporter);
    return;
  }
  requireKey(transport, "url", `is required for transport type ${type}`, reporter);
  checkUrl(transport, "url", transport.url, reporter);
  checkUrl(transport, "session_cleanup_url", transport.session_cleanup_url, reporter);
  const { client_cert_file: cert, client_key_file: key } = transport;
  if ((cert === undefined) === (key === undefined)) return;
  const missing = cert === undefined ? "client_cert_file" : "client_key_file";
  requireKey(transport, missing, "is required: a certificate needs its key", reporter);
}

function checkAuth(auth: AuthEntry, reporter: Reporter): void {
  const { type, client_secret: secret } = auth;
  const own = type === "private_key_jwt" ? "private_key_file" : "client_secret";
  const needed =
    type === "oauth" ? (secret === undefined ? [] : ["issuer", "client_id"]) : ["issuer", "client_id", own];
  const why = type === "oauth" ? "is required for a client_secret" : `is required for auth type ${type}`;
  if (type !== undefined) for (const key of needed) requireKey(auth, key, why, reporter);
  checkUrl(auth, "issuer", auth.issuer, reporter);
}

/** Checks `defaults.alert_masking`. */
export function checkAlertMasking(
  masking: Loose<DefaultsSection>["alert_masking"],
  reporter: Reporter,
): void {
  if (masking === undefined || masking.enabled === false) return;
  const target = { container: masking, key: "pattern_group" };
  reporter.unknownName(target, "masking pattern group", masking.pattern_group, GROUPS);
}

/** Checks the names and patterns of `data_masking`. */
function checkMasking(masking: MaskingEntry, reporter: Reporter): void {
  const { pattern_groups: groups, patterns, custom_patterns: custom } = masking;
  groups?.forEach((group, key) => {
    reporter.unknownName({ container: groups, key }, "masking pattern group", group, GROUPS);
  });
  patterns?.forEach((pattern, key) => {
    reporter.unknownName({ container: patterns, key }, "masking pattern", pattern, MASKING_PATTERNS);
  });
  for (const entry of custom ?? []) {
    if (entry === undefined) continue;
    requireKey(entry, "pattern", "is required for a custom masking pattern", reporter);
    requireKey(entry, "replacement", "is required for a custom masking pattern", reporter);
    if (entry.pattern !== undefined) checkPattern(entry, entry.pattern, reporter);
  }
}

/** An error for a custom pattern that RE2 does not accept. */
function checkPattern(container: object, pattern: string, reporter: Reporter): void {
  try {
    compilePattern({ pattern, replacement: "" });
  } catch (error) {
    reporter.error({ container, key: "pattern" }, "must be a regular expression of RE2", errorMessage(error));
  }
}

type OfServer = NonNullable<Loose<WrittenServer>["summarization"]>;
type OfDefaults = NonNullable<Loose<DefaultsSection>["summarization"]>;

const MIN_THRESHOLD_TOKENS = 100;
const LEAST_SHOWN_TOKENS = MIN_SHOWN_CHARS / CHARS_PER_TOKEN;
const SIZES = ["size_threshold_tokens", "summary_max_token_limit"] as const;

/** Checks a server's `summarization`; the sizes of one that is switched off have no rule for summaries. */
function checkSummarization(summarization: OfServer, context: CheckContext): void {
  const { reporter } = context;
  const { size_threshold_tokens: threshold, summary_max_token_limit: limit } = summarization;
  const isOff = summarization.enabled === false;
  const ofThreshold = { container: summarization, key: "size_threshold_tokens" };
  if (threshold !== undefined && threshold < MIN_THRESHOLD_TOKENS && !isOff) {
    reporter.error(ofThreshold, `must be at least ${MIN_THRESHOLD_TOKENS}`);
  } else if (threshold !== undefined && threshold < LEAST_SHOWN_TOKENS) {
    const why = `a result of up to ${MIN_SHOWN_CHARS} characters is shown whole and is not summarized`;
    reporter.warn(ofThreshold, `counts as ${LEAST_SHOWN_TOKENS}`, why);
  }
  if (limit !== undefined && limit !== 0 && limit < 50 && !isOff) {
    const target = { container: summarization, key: "summary_max_token_limit" };
    reporter.error(target, "must be 0 (the threshold) or at least 50");
  }
  if (isOff) {
    for (const key of ["llm_provider", "llm_backend"] as const) {
      if (summarization[key] === undefined) continue;
      const hint = "nothing of this server is summarized";
      reporter.error({ container: summarization, key }, "must not be set where enabled is false", hint);
    }
    return;
  }
  checkProvider(summarization, context);
}

/** Checks `defaults.summarization`. */
export function checkDefaultSummarization(
  summarization: OfDefaults | undefined,
  context: CheckContext,
): void {
  if (summarization === undefined) return;
  for (const key of SIZES) {
    if (summarization[key] === undefined) continue;
    const hint = "set it at mcp_servers.<id>.summarization";
    context.reporter.error({ container: summarization, key }, "must not be set in the defaults", hint);
  }
  checkProvider(summarization, context);
}

function checkProvider(summarization: OfServer | OfDefaults, context: CheckContext): void {
  const { reporter, names } = context;
  const { llm_provider: provider, llm_backend: backend } = summarization;
  const target = { container: summarization, key: "llm_backend" };
  if (backend !== undefined && !reporter.sources.hasChild(summarization, "llm_provider")) {
    reporter.error(target, "needs llm_provider beside it");
  }
  const named = { container: summarization, key: "llm_provider" };
  reporter.unknownName(named, "LLM provider", provider, names.llmProviders);
  checkBackend(target, provider, backend, context);
}

/** Warns about stubs that no agent calls, and about those that a real model calls. */
export function checkStubbedServers(
  servers: Readonly<Record<string, unknown>>,
  config: AgentConfig,
  reporter: Reporter,
): void {
  const used = usedServers(config);
  const everyAgent = knownAlertTypes(config).flatMap((alertType) => agentsFor(config, alertType));
  for (const server of Object.keys(servers)) {
    const target = { container: servers, key: server };
    if (!config.mcpServers.has(server)) {
      const hint = suggestName(server, [...config.mcpServers.keys()]);
      reporter.warn(target, "is not a server of mcp_servers, so no agent can call its tools", hint);
    } else if (!used.has(server)) {
      reporter.warn(target, "is a server that no agent has, so only alerts that select it call its tools");
    }
    const [first] = stubbedAgents(everyAgent, new Set([server]));
    if (first === undefined) continue;
    reporter.warn(
      target,
      `answers a real model (provider ${first.provider} of agent ${first.agent}) with invented results`,
      "remove it for real investigations",
    );
  }
}
