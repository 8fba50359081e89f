import { expect } from "chai";
import type { Load } from "./load.ts";
import type { Stack } from "./stack.ts";

/**
 * Answered LLM calls and tool calls of a session; one that failed with its gateway is recorded as failed, and made again. With tools: two of the agent with one tool's between them, and the summary; where no
 * tool-runner answered the question for its tools, the agent went on without any, as it does alone.
 */
const CALLS: Readonly<Record<string, readonly string[]>> = { steps: ["3\t1", "2\t0"], wait: ["2\t0"] };

/**
 * Waits for a load's sessions and looks at each: completed, seen on its socket from the first event to the last without
 * a gap or a repetition, and with every step recorded once.
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
