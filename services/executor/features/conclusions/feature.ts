import type { StepOf } from "../../core/agent-state.ts";
import type { ExecutionRun } from "../../core/execution-run.ts";
import type { Feature, StepAnswer } from "../../core/feature.ts";
import { newMessages, type AppendedMessage } from "../../persist/conversation.ts";
import { conclusionRequest } from "../../prompts/conclusion-prompts.ts";
import { parseActionInput } from "../../react-parser/parse-action-input.ts";
import { checkConclusion, endUnstated } from "./check-conclusion.ts";
import { decideConclusion, isAsked, NOTHING_STATED } from "./decide-conclusion.ts";

/** Has agents state their conclusion as data, whose quotes are compared with the results of tools. */
export const CONCLUSIONS = {
  decide: decideConclusion,
  perform: { "ask-for-conclusion": askForConclusion, "check-conclusion": checkStated },
  stepTools: { conclude: answerConclude },
} satisfies Feature;

/** Adds the question. Calls of the answer that are not made any more get a result, as providers require. */
function askForConclusion(run: ExecutionRun, { answerAt }: StepOf["ask-for-conclusion"]): undefined {
  const { execution, state, steps } = run;
  const { messages, iteration } = state;
  const last = messages.at(-1);
  const unmade = (last?.role === "assistant" ? (last.tool_calls ?? []) : []).map(
    ({ id, name }): AppendedMessage => ({
      role: "tool",
      content: "The call was not made: the answer was due.",
      tool_call_id: id,
      tool_name: name,
    }),
  );
  const results = iteration.results ?? 0;
  const own = results === 0 ? ", such as db-agent#2/r3" : `, from r1 to r${results}`;
  const content = conclusionRequest(
    `${own}; "alert" and "runbook" are names, too`,
    state.agent.conclusion_names,
  );
  const added = newMessages(run, [...unmade, { role: "user", content }]);
  const conclusion = {
    ...NOTHING_STATED,
    asked_at: added.at(-1)?.sequence_number ?? 0,
    ...(answerAt === undefined ? {} : { answer_at: answerAt }),
  };
  steps.add({
    rows: {
      messages: added,
      executionChanges: [
        { execution_id: execution.execution_id, iteration_state: { ...iteration, conclusion } },
      ],
    },
    events: [],
  });
}

/** Checks a conclusion that was stated by a call. Where the agent was asked for it, the message about the check asks again. */
async function answerConclude(
  run: ExecutionRun,
  { parameters }: { readonly parameters: Readonly<Record<string, unknown>> },
): Promise<StepAnswer> {
  const { messages, iteration } = run.state;
  const { outcome, effect, state } = await checkConclusion(run, parameters, run.session.signals.cancelled);
  const next = (messages.at(-1)?.sequence_number ?? 0) + 1;
  const conclusion = { ...state, ...(isAsked(run.state) ? { asked_at: next } : {}) };
  return { outcome, effect, iteration: { ...iteration, conclusion } };
}

const NO_REPLY = "The model did not state a conclusion.";

/** Checks what a reply has as text; without a reply, or with nothing that can be read twice, the answer stands unchecked. */
async function checkStated(run: ExecutionRun, { text }: StepOf["check-conclusion"]): Promise<null> {
  const { session, execution, state, steps } = run;
  const { execution_id } = execution;
  const { iteration } = state;
  if (text === null) {
    steps.add(endUnstated(run, NO_REPLY));
    return null;
  }
  await steps.commit();
  const stated = objectIn(text);
  const {
    outcome,
    effect,
    state: conclusion,
  } = await checkConclusion(run, stated ?? text, session.signals.cancelled);
  const added = newMessages(run, [{ role: "user", content: outcome.content }]);
  const asked_at = added.at(-1)?.sequence_number ?? 0;
  const iteration_state = { ...iteration, conclusion: { ...conclusion, asked_at } };
  steps.add({
    rows: { messages: added, executionChanges: [{ execution_id, iteration_state }] },
    events: [],
  });
  if (effect !== null) steps.add(effect);
  return null;
}

/** The last JSON object in a text that looks like a conclusion; null if there is none. */
function objectIn(text: string): object | null {
  const fences = [...text.matchAll(/```(?:json)?\s*\n(?<body>[\s\S]*?)```/gu)];
  const bodies = fences.map(({ groups }) => groups?.["body"] ?? "");
  const from = text.indexOf("{");
  const bare = from === -1 ? [] : [text.slice(from, text.lastIndexOf("}") + 1)];
  for (const body of [...bodies.toReversed(), ...bare]) {
    const parsed = parseActionInput(body);
    if ("status" in parsed || "causes" in parsed || "claims" in parsed) return parsed;
  }
  return null;
}
