import type { Loose } from "#shared/agent-config/check-shape.ts";
import type { CheckContext } from "#shared/agent-config/checks/check-context.ts";
import { checkUrl, requireKey, warnNoEffectYet } from "#shared/agent-config/checks/check-keys.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";
import type { McpServerEntry } from "#shared/agent-config/schemas/tarsy-file.ts";
import { errorMessage } from "#shared/errors.ts";

/** The names that `data_masking.patterns` may have. */
const MASKING_PATTERNS = [
  "api_key",
  "password",
  "certificate",
  "certificate_authority_data",
  "token",
  "email",
  "ssh_key",
  "base64_secret",
  "base64_short",
  "private_key",
  "secret_key",
  "aws_access_key",
  "aws_secret_key",
  "github_token",
  "slack_token",
];

/** The names that `data_masking.pattern_groups` may have. */
const MASKING_PATTERN_GROUPS = ["basic", "secrets", "security", "kubernetes", "cloud", "all"];

type Transport = NonNullable<Loose<McpServerEntry>["transport"]>;
type Masking = NonNullable<Loose<McpServerEntry>["data_masking"]>;
type Summarization = NonNullable<Loose<McpServerEntry>["summarization"]>;

/** Checks the keys of a written MCP server against each other and warns of those without effect. */
export function checkMcpServer(
  id: string,
  server: Loose<McpServerEntry>,
  { reporter, stubbedServers }: CheckContext,
): void {
  const { transport, data_masking: masking, summarization } = server;
  if (transport !== undefined) {
    checkTransport(transport, reporter);
    if (!stubbedServers.has(id)) {
      const reason = `MCP servers are not connected yet, and stub-tools.yaml has no tools of ${id}`;
      warnNoEffectYet({ container: server, key: "transport" }, reason, reporter);
    }
  }
  if (masking?.enabled === true) {
    checkMasking(masking, reporter);
    const reason = "data masking is not applied yet: tool results reach the model unmasked";
    warnNoEffectYet({ container: masking, key: "enabled" }, reason, reporter);
  }
  if (summarization?.enabled === true) {
    checkSummarization(summarization, reporter);
    const reason = "tool results are not summarized yet: long ones are cut";
    warnNoEffectYet({ container: summarization, key: "enabled" }, reason, reporter);
  }
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

function checkMasking(masking: Masking, reporter: Reporter): void {
  const { pattern_groups: groups, patterns, custom_patterns: custom } = masking;
  groups?.forEach((group, key) => {
    reporter.unknownName({ container: groups, key }, "masking pattern group", group, MASKING_PATTERN_GROUPS);
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

/** An error for a custom pattern that is no regular expression of JavaScript, with flags in front as in Go. */
function checkPattern(container: object, pattern: string, reporter: Reporter): void {
  const source = pattern.replace(/^\(\?[ims]+\)/u, "");
  try {
    // Real patterns are full of lone braces and escaped punctuation, which the flag u forbids. Without the flag,
    // JavaScript silently misreads escapes and classes that only Go knows.
    const isGoOnly = /^(?:[^\\]|\\.)*?(?:\\[AaCEpPQz]|\[:)/su.test(source);
    RegExp(source, isGoOnly ? "u" : "");
  } catch (error) {
    // The engine repeats the pattern in front of the reason; the report has it anyway.
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
