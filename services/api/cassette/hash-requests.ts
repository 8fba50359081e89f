import { setImmediate as yieldToOthers } from "node:timers/promises";
import type { Cassette } from "#shared/cassette/cassette.ts";
import { canonicalRequest, hashRequest } from "#shared/cassette/canonical-request.ts";
import { recordedRequest } from "#shared/cassette/recorded-request.ts";

/** The cassette with the hash of each request as the cassette has it; null where the request is not known any more. */
export async function hashRequests(cassette: Cassette): Promise<Cassette> {
  const owner = { sessionId: cassette.session.session_id, nonce: null };
  const executions = [];
  for (const execution of cassette.executions) {
    const llm_calls = [];
    for (const call of execution.llm_calls) {
      const content = recordedRequest(execution, call);
      llm_calls.push({
        ...call,
        request_hash: content === null ? null : hashRequest(canonicalRequest(content, owner)),
      });
      await yieldToOthers();
    }
    executions.push({ ...execution, llm_calls });
  }
  return { ...cassette, executions };
}
