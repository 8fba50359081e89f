import { expect } from "chai";
import type { Load } from "./load.ts";
import type { Stack } from "./stack.ts";

/**
 * Allowed numbers of successful LLM calls and of tool calls of a session, separated by a tab. A `steps` session has two LLM
 * calls of its agent, one tool call and a summary. If no tool-runner could be reached for long, as between NATS servers that
 * find each other again, the agent was told that its call was not made, or made one LLM call without tools.
 */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  steps: ["3\t1", "3\t0", "2\t0"],
  wait: ["2\t0"],
};

/**
 * Waits until the sessions of a load have ended and checks that each is completed, that its client received every event
 * once and in order, and that every step is recorded once.
 */
export async function expectWhole(stack: Stack, load: Load): Promise<void> {
  const seen = new Map<string, readonly number[]>();
  for (const { id, followed } of load.sessions) seen.set(id, (await followed).seqs);
  const ids = load.sessions.map(({ id }) => `'${id}'`).join();
  const rows = await stack.query(
    `SELECT s.session_id, s.status, s.alert_type, r.last_seq,
       (SELECT count(*) FROM llm_interactions i WHERE i.session_id = s.session_id AND i.error_code IS NULL),
       (SELECT count(*) FROM tool_calls c WHERE c.session_id = s.session_id AND c.state <> 'abandoned')
     FROM alert_sessions s JOIN session_runtime r USING (session_id) WHERE s.session_id IN (${ids})`,
  );
  expect(rows).to.have.length(load.sessions.length);
  for (const [id = "", status, type, lastSeq, llmCalls, toolCalls] of rows) {
    expect(status, id).to.equal("completed");
    const whole = Array.from({ length: Number(lastSeq) }, (_, index) => index + 1);
    expect(seen.get(id), `events of ${id} on its socket`).to.deep.equal(whole);
    expect(CALLS[type ?? ""], `recorded calls of ${id}`).to.include(`${llmCalls}\t${toolCalls}`);
  }
}
