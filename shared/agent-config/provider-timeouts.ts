import type { LlmProviderEntry } from "#shared/agent-config/schemas/llm-providers-file.ts";
import { parseDuration } from "#shared/agent-config/parse-duration.ts";

/** The time that calls to one provider may take, in milliseconds. */
interface ProviderTimeouts {
  /** A whole call, and so the iteration of an agent that uses the provider. */
  readonly callMs: number;
  /** The provider's silence before the first chunk. */
  readonly firstChunkMs: number;
  /** The provider's silence between two chunks. */
  readonly stallMs: number;
}

/**
 * The `timeouts` of a provider's entry, undefined without them. A limit of silence that is not set is the whole call's: a slow
 * server is silent while it evaluates a long prompt, and many are silent while the model writes a tool call.
 */
export function providerTimeouts({
  timeouts,
}: Pick<LlmProviderEntry, "timeouts">): ProviderTimeouts | undefined {
  const callMs = milliseconds(timeouts?.call);
  if (callMs === undefined) return undefined;
  return {
    callMs,
    firstChunkMs: milliseconds(timeouts?.first_chunk) ?? callMs,
    stallMs: milliseconds(timeouts?.stall) ?? callMs,
  };
}

function milliseconds(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : parseDuration(duration);
}
