import { BUILT_IN_SERVER } from "#shared/contracts/built-in-server.ts";
import { isServerId } from "#shared/contracts/server-id.ts";
import type { Loose } from "#shared/agent-config/check-shape.ts";
import type { CheckContext } from "#shared/agent-config/checks/check-context.ts";
import { checkUrl, requireKey } from "#shared/agent-config/checks/check-keys.ts";
import { checkSummarization } from "#shared/agent-config/checks/check-summarization.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";
import type { DefaultsSection, McpServerEntry } from "#shared/agent-config/schemas/tarsy-file.ts";
import { errorMessage } from "#shared/errors.ts";
import { MASKING_PATTERN_GROUPS, MASKING_PATTERNS } from "#shared/masking/patterns/built-in-patterns.ts";
import { compilePattern } from "#shared/masking/patterns/custom-patterns.ts";

const GROUPS = Object.keys(MASKING_PATTERN_GROUPS);

type Transport = NonNullable<Loose<McpServerEntry>["transport"]>;
type Auth = NonNullable<Loose<McpServerEntry>["auth"]>;
type Masking = NonNullable<Loose<McpServerEntry>["data_masking"]>;

/** Checks the keys of a written MCP server against each other. */
export function checkMcpServer(id: string, server: Loose<McpServerEntry>, context: CheckContext): void {
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
  if (transport !== undefined) checkTransport(transport, reporter);
  if (auth !== undefined) checkAuth(auth, reporter);
  // Masking is on unless it is switched off.
  if (masking !== undefined && masking.enabled !== false) checkMasking(masking, reporter);
  if (summarization !== undefined) checkSummarization(summarization, context);
}

function checkTransport(transport: Transport, reporter: Reporter): void {
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

function checkAuth(auth: Auth, reporter: Reporter): void {
  const key = auth.type === "private_key_jwt" ? "private_key_file" : "client_secret";
  if (auth.type !== undefined) requireKey(auth, key, `is required for auth type ${auth.type}`, reporter);
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
function checkMasking(masking: Masking, reporter: Reporter): void {
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
