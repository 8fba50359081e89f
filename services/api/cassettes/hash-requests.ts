import { setImmediate as yieldToOthers } from "node:timers/promises";
import type { Cassette, RecordedExecution } from "#shared/cassette/cassette.ts";
import { canonicalRequest, hashRequest, type CanonicalRequest } from "#shared/cassette/canonical-request.ts";
import type { RecordedLlmCall } from "#shared/cassette/recorded-calls.ts";
import { namedTools, recordedRequest } from "#shared/cassette/recorded-request.ts";

/** The cassette with the hash of each request as the cassette has it; null where the request is not known any more. */
export async function hashRequests(cassette: Cassette): Promise<Cassette> {
  const sessionId = cassette.session.session_id;
  const executions = [];
  for (const execution of cassette.executions) {
    const llm_calls = [];
    const canonical = requestsOf(execution, sessionId);
    for (const call of execution.llm_calls) {
      const request = canonical(call);
      llm_calls.push({ ...call, request_hash: request === null ? null : hashRequest(request) });
      await yieldToOthers();
    }
    executions.push({ ...execution, llm_calls });
  }
  return { ...cassette, executions };
}

/**
 * The canonical requests of an execution. The conversation is read once: the canonical form of its beginning is the beginning of its
 * canonical form.
 */
function requestsOf(
  execution: RecordedExecution,
  sessionId: string,
): (call: RecordedLlmCall) => CanonicalRequest | null {
  const owner = { sessionId, nonce: null };
  let whole: CanonicalRequest | undefined;
  return (call) => {
    const content = recordedRequest(execution, call);
    if (content === null) return null;
    if (call.input.messages !== undefined) return canonicalRequest(content, owner);
    whole ??= canonicalRequest(
      { messages: execution.messages, tools: execution.bound_tools, model: content.model },
      owner,
    );
    return {
      messages: whole.messages.slice(0, content.messages.length),
      model: content.model,
      tools: content.tools.length === 0 ? [] : (namedTools(whole.tools, call.input.tools) ?? whole.tools),
    };
  };
}
