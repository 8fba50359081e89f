import { CanonicalTexts } from "#shared/cassette/canonical-texts.ts";
import type { RecordedExecution } from "#shared/cassette/cassette.ts";
import { firstDifference } from "#shared/cassette/first-difference.ts";
import type { RecordedToolCall } from "#shared/cassette/recorded-calls.ts";
import { divergenceTexts } from "./divergence-texts.ts";
import type { Outcome } from "./read-outcome.ts";
import { agentOf, placeOf } from "../recording/recorded-answers.ts";
import { INVESTIGATION, type RecordedSession } from "../recording/recorded-session.ts";
import type { ReplayDivergence } from "../replay-result.ts";

interface Compared {
  readonly recorded: RecordedSession;
  readonly outcome: Outcome;
  /** Of the imported session's prompts. */
  readonly nonce: string;
  /** The replay was ended by a divergence: what is missing says nothing. */
  readonly isBroken: boolean;
}

/** In what the outcome of a replay differs from the recorded one: in the order of the recording, what it did before how it ended. */
export function compareOutcome(compared: Compared): ReplayDivergence[] {
  const { isBroken } = compared;
  const calls = compared.recorded.cassette.executions.flatMap((execution) => toolCalls(compared, execution));
  const ordered = calls.toSorted((a, b) => (a.seq ?? 0) - (b.seq ?? 0));
  if (isBroken) return ordered;
  return [...ordered, ...missingCalls(compared), ...extraToolCalls(compared), ...ends(compared)];
}

function toolCalls(compared: Compared, execution: RecordedExecution): ReplayDivergence[] {
  const { recorded, outcome, isBroken } = compared;
  const made = new Map(outcome.tool_calls.map((call) => [call.interaction_id, call]));
  return execution.tool_calls.flatMap((call) => {
    const place = { ...agentOf(recorded, execution.execution_id), step: toolStep(call), seq: call.seq };
    const now = made.get(call.interaction_id);
    if (now === undefined) {
      const isExpected = isBroken || recorded.endedEarly(recorded.partOf(execution), execution);
      return isExpected ? [] : [{ ...place, pointer: "", ...divergenceTexts(call.arguments, undefined) }];
    }
    const difference = differ(compared, askedOf(call), askedOf({ ...now, tool: now.tool ?? "" }));
    if (difference !== null) return [{ ...place, ...difference }];
    // What a tool of TARSy itself answers is its own doing; other results are given.
    const result = call.is_built_in
      ? differ(compared, { result: call.result }, { result: now.result })
      : null;
    return result === null ? [] : [{ ...place, ...result }];
  });
}

function askedOf({
  server,
  tool,
  arguments: given,
}: Pick<RecordedToolCall, "server" | "tool" | "arguments">) {
  return { server, tool, arguments: given };
}

function toolStep({ server, tool, iteration, index }: RecordedToolCall): string {
  const place = ` after call ${iteration} of the model, number ${index + 1}`;
  return `call of the tool ${server}.${tool}${place}`;
}

function missingCalls({ recorded, outcome }: Compared): ReplayDivergence[] {
  const made = new Set(outcome.llm_calls);
  const parts = [INVESTIGATION, ...recorded.cassette.follow_ups.map(({ follow_up_id }) => follow_up_id)];
  return parts.flatMap((part) =>
    recorded
      .callsOf(part)
      .filter(({ call }) => !made.has(call.interaction_id))
      .map((placed) => ({
        ...placeOf(recorded, placed),
        pointer: "",
        ...divergenceTexts(placed.call.reply.text, undefined),
      })),
  );
}

function extraToolCalls({ recorded, outcome }: Compared): ReplayDivergence[] {
  return outcome.tool_calls.flatMap((now) => {
    const execution = recorded.execution(now.execution_id);
    const isKnown = execution?.tool_calls.some(({ interaction_id }) => interaction_id === now.interaction_id);
    const isExpected = execution !== undefined && recorded.endedEarly(recorded.partOf(execution), execution);
    if (isKnown === true || isExpected) return [];
    return [
      {
        ...agentOf(recorded, now.execution_id),
        step: `call of the tool ${now.server}.${now.tool ?? ""} that was not recorded`,
        seq: null,
        pointer: "",
        ...divergenceTexts(undefined, now.arguments),
      },
    ];
  });
}

/** How executions, stages, follow-ups and the session ended, in this order. */
function ends(compared: Compared): ReplayDivergence[] {
  const { recorded, outcome } = compared;
  const { session, stages, executions, follow_ups } = recorded.cassette;
  const noAgent = { agent: null, stage: null, execution_id: null, seq: null };
  const ofExecutions = executions.flatMap((execution) => {
    const now = outcome.executions.find(({ execution_id }) => execution_id === execution.execution_id);
    const isUnbegun = now === undefined && recorded.endedEarly(recorded.partOf(execution), execution);
    if (isUnbegun) return [];
    const place = { ...agentOf(recorded, execution.execution_id), step: "end of the agent", seq: null };
    return withPlace(place, differ(compared, endOf(execution, ANSWER), endOf(now, ANSWER)));
  });
  const ofStages = stages.flatMap((stage) => {
    const now = outcome.stages.find(({ stage_id }) => stage_id === stage.stage_id);
    if (now === undefined && recorded.endedEarly(INVESTIGATION)) return [];
    const place = { ...noAgent, stage: stage.stage_name, step: "end of the stage" };
    return withPlace(place, differ(compared, endOf(stage), endOf(now)));
  });
  const ofFollowUps = follow_ups.flatMap((followUp) => {
    const now = outcome.follow_ups.find(({ follow_up_id }) => follow_up_id === followUp.follow_up_id);
    const place = { ...noAgent, step: `end of the ${followUp.kind}` };
    return withPlace(place, differ(compared, endOf(followUp), endOf(now)));
  });
  const ofSession = withPlace(
    { ...noAgent, step: "end of the session" },
    differ(compared, endOf(session, RESULT), endOf(outcome.session, RESULT)),
  );
  return [...ofExecutions, ...ofStages, ...ofFollowUps, ...ofSession];
}

const ANSWER = ["final_analysis"];
const RESULT = ["final_analysis", "executive_summary"];

function endOf(run: object | undefined, texts: readonly string[] = []): object | undefined {
  if (run === undefined) return undefined;
  const values: Record<string, unknown> = { ...run };
  return Object.fromEntries(["status", "error_code", ...texts].map((name) => [name, values[name] ?? null]));
}

function withPlace(
  place: Omit<ReplayDivergence, "pointer" | "recorded" | "now">,
  difference: Pick<ReplayDivergence, "pointer" | "recorded" | "now"> | null,
): ReplayDivergence[] {
  return difference === null ? [] : [{ ...place, ...difference }];
}

function differ(
  { recorded, nonce }: Compared,
  left: unknown,
  right: unknown,
): Pick<ReplayDivergence, "pointer" | "recorded" | "now"> | null {
  const { session_id } = recorded.cassette.session;
  const canonical = (value: unknown): unknown =>
    value === undefined
      ? undefined
      : JSON.parse(new CanonicalTexts(session_id, nonce).text(JSON.stringify(value)));
  const difference = firstDifference(canonical(left), canonical(right));
  if (difference === null) return null;
  return { pointer: difference.pointer, ...divergenceTexts(difference.left, difference.right) };
}
