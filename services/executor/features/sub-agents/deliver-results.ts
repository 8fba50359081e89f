import { Type } from "#shared/generated/typebox/typebox.mjs";
import { hasHandles } from "#shared/contracts/resolved-chain.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { safeCut } from "#shared/safe-cut.ts";
import type { StepOf } from "../../core/agent-state.ts";
import type { ExecutionRun } from "../../core/execution-run.ts";
import { newMessages } from "../../persist/conversation.ts";
import type { StepRecord } from "../../persist/step-record.ts";
import { movedUnfinishedStep } from "../../persist/unfinished-step.ts";
import { untrustedText } from "../../prompts/untrusted-text.ts";
import { readAgentHandles } from "../../state/agent-handles.ts";
import { CHARS_PER_TOKEN } from "#shared/contracts/result-sizes.ts";

const parseAnswer = compileParser(
  "answer of a sub-agent",
  Type.Object({ execution_id: Uuid, content: Type.String() }),
);

const ANSWERS = `
SELECT DISTINCT ON (execution_id) execution_id, content FROM timeline_events
WHERE execution_id = ANY($1::uuid[]) AND event_type = 'final_analysis' AND status = 'completed'
ORDER BY execution_id, sequence_number DESC`;

/**
 * The step that gives an agent the results of sub-agents that have ended: a user message for each, and that it was delivered, in
 * one write. An answer, or the error of a sub-agent that has none, is framed as data; of one that is longer than a tool
 * result may be, the agent gets the beginning. Throws database errors.
 */
export async function deliverResults(
  { session, execution, state }: ExecutionRun,
  { subAgents }: StepOf["deliver-results"],
): Promise<StepRecord> {
  const ids = subAgents.map(({ execution_id }) => execution_id);
  const found = await selectRows(session.db, parseAnswer, ANSWERS, [ids]);
  const answers = new Map(found.map(({ execution_id, content }) => [execution_id, content]));
  const { alert, agent, iteration, messages: before } = state;
  const handles = hasHandles(agent) ? await readAgentHandles(session) : new Map<string, string>();
  const maxChars = agent.llm_provider.max_tool_result_tokens * CHARS_PER_TOKEN;
  const texts = subAgents.map(({ execution_id, agent_name, status, error_message }) => {
    const isCompleted = status === "completed";
    const text = (isCompleted ? answers.get(execution_id) : error_message) ?? "";
    const kept = text.slice(0, safeCut(text, maxChars));
    const cut =
      kept.length < text.length
        ? `\nOnly the first ${kept.length} of ${text.length} characters are shown.`
        : "";
    const body = text === "" ? "It gave no answer." : untrustedText(alert.nonce, "SUB_AGENT_RESULT", kept);
    const handle = handles.get(execution_id);
    const quoting = handle === undefined ? "" : `, its results are ${handle}/r1 and so on`;
    return `[Sub-agent ${status}] ${agent_name} (exec ${execution_id}${quoting}):\n${body}${cut}`;
  });
  const messages = newMessages(
    { execution, state },
    texts.map((content) => ({ role: "user", content })),
  );
  const iteration_state = movedUnfinishedStep(iteration, before.length, messages.length);
  return {
    rows: {
      messages,
      executionChanges: [
        { execution_id: execution.execution_id, iteration_state },
        ...ids.map((execution_id) => ({ execution_id, delivered: true as const })),
      ],
    },
    events: [],
  };
}
