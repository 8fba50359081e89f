import { MASKING_PATTERN_GROUPS, MASKING_PATTERNS } from "#shared/agent-config/built-in/masking-patterns.ts";
import { compileMaskingPattern } from "#shared/agent-config/compile-masking-pattern.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";
import type { Loose } from "#shared/agent-config/schemas/loose.ts";
import type { McpServerEntry } from "#shared/agent-config/schemas/tarsy-file.ts";
import { errorMessage } from "#shared/errors.ts";

type Transport = NonNullable<Loose<McpServerEntry>["transport"]>;
type Masking = NonNullable<Loose<McpServerEntry>["data_masking"]>;
type Summarization = NonNullable<Loose<McpServerEntry>["summarization"]>;

/** Checks what a written MCP server's keys mean for each other. */
export function checkMcpServer(server: Loose<McpServerEntry>, reporter: Reporter): void {
  if (server.transport !== undefined) checkTransport(server.transport, reporter);
  if (server.data_masking?.enabled === true) checkMasking(server.data_masking, reporter);
  if (server.summarization?.enabled === true) checkSummarization(server.summarization, reporter);
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
}

/** An error if a URL is set that is none or that no HTTP client can use. */
export function checkUrl(container: object, key: string, url: string | undefined, reporter: Reporter): void {
  if (url === undefined) return;
  const parsed = URL.parse(url);
  if (parsed?.protocol === "http:" || parsed?.protocol === "https:") return;
  reporter.error({ container, key }, "must be an http or https URL");
}

/** An error if a key that is needed was not written; one written wrongly has been reported already. */
export function requireKey(container: object, key: string, rule: string, reporter: Reporter): void {
  if (Object.hasOwn(container, key)) return;
  reporter.error({ container, key }, rule);
}

function checkMasking(masking: Masking, reporter: Reporter): void {
  const { pattern_groups: groups, patterns, custom_patterns: custom } = masking;
  groups?.forEach((group, key) => {
    const known = Object.keys(MASKING_PATTERN_GROUPS);
    reporter.unknownName({ container: groups, key }, "masking pattern group", group, known);
  });
  patterns?.forEach((pattern, key) => {
    const known = Object.keys(MASKING_PATTERNS);
    reporter.unknownName({ container: patterns, key }, "masking pattern", pattern, known);
  });
  custom?.forEach((entry) => {
    requireKey(entry, "pattern", "is required for a custom masking pattern", reporter);
    requireKey(entry, "replacement", "is required for a custom masking pattern", reporter);
    if (entry.pattern !== undefined) checkPattern(entry, entry.pattern, reporter);
  });
}

function checkPattern(container: object, pattern: string, reporter: Reporter): void {
  try {
    compileMaskingPattern(pattern);
  } catch (error) {
    // The engine repeats the pattern before its reason; the report shows what was written anyway.
    const reason = errorMessage(error).split(": ").at(-1)?.toLowerCase();
    reporter.error({ container, key: "pattern" }, "must be a regular expression", reason);
  }
}

function checkSummarization(summarization: Summarization, reporter: Reporter): void {
  const { size_threshold_tokens: threshold, summary_max_token_limit: limit } = summarization;
  const rule = "must be at least 100 when summarization is enabled";
  if (threshold === undefined) requireKey(summarization, "size_threshold_tokens", rule, reporter);
  else if (threshold < 100) reporter.error({ container: summarization, key: "size_threshold_tokens" }, rule);
  if (limit !== undefined && limit !== 0 && limit < 50) {
    const target = { container: summarization, key: "summary_max_token_limit" };
    reporter.error(target, "must be 0 (no limit) or at least 50");
  }
}
