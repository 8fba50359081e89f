import type { Loose } from "#shared/agent-config/check-shape.ts";
import type { CheckContext } from "#shared/agent-config/checks/check-context.ts";
import { checkBackend } from "#shared/agent-config/checks/check-fallbacks.ts";
import { CHARS_PER_TOKEN, MIN_SHOWN_CHARS } from "#shared/contracts/chars-per-token.ts";
import type { DefaultsSection, McpServerEntry } from "#shared/agent-config/schemas/tarsy-file.ts";

type OfServer = NonNullable<Loose<McpServerEntry>["summarization"]>;
type OfDefaults = NonNullable<Loose<DefaultsSection>["summarization"]>;

const MIN_THRESHOLD_TOKENS = 100;
const LEAST_SHOWN_TOKENS = MIN_SHOWN_CHARS / CHARS_PER_TOKEN;
const SIZES = ["size_threshold_tokens", "summary_max_token_limit"] as const;

/** Checks a server's `summarization`; the sizes of one that is switched off have no rule for summaries. */
export function checkSummarization(summarization: OfServer, context: CheckContext): void {
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
