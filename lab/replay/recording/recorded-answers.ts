import { canonicalRequest } from "#shared/cassette/canonical-request.ts";
import { contentOfRequest } from "#shared/cassette/content-of-request.ts";
import { firstDifference } from "#shared/cassette/first-difference.ts";
import { recordedRequest } from "#shared/cassette/recorded-request.ts";
import { parseResolvedChain } from "#shared/contracts/resolved-chain.ts";
import type { GenerateRequest, GenerateResponse } from "#shared/generated/llm/v1/llm.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import { divergenceTexts } from "../outcome/divergence-texts.ts";
import { recordedAnswer } from "./recorded-answer.ts";
import { seqOf, type PlacedCall, type RecordedSession } from "./recorded-session.ts";
import type { ReplayDivergence } from "../replay-result.ts";
import type { ReplayState } from "../pacing/replay-state.ts";
import type { WatchedState } from "../pacing/watched-state.ts";

interface RecordedAnswersOptions {
  readonly recorded: RecordedSession;
  /** Of the imported session's prompts. */
  readonly nonce: string;
  readonly state: WatchedState;
  /** Called with the first divergence; the replay ends. */
  readonly onDivergence: (divergence: ReplayDivergence) => void;
}

const never = new Promise<never>(() => undefined);

/**
 * Answers the calls of a replayed session as they were answered in the recording, each after those that were recorded before it. A
 * call that asks something else is a divergence, once it is its turn.
 */
export class RecordedAnswers {
  readonly #options: RecordedAnswersOptions;
  /** How many calls were made, by execution and whether they belong to its conversation. */
  readonly #taken = new Map<string, number>();

  constructor(options: RecordedAnswersOptions) {
    this.#options = options;
  }

  /** Throws the signal's reason once the caller has given up. */
  async answer(request: GenerateRequest, signal: AbortSignal): Promise<readonly GenerateResponse[]> {
    const { recorded, state, onDivergence } = this.#options;
    state.progressed();
    const placed = this.#take(request);
    if (placed === undefined) {
      const execution = recorded.execution(request.executionId);
      // In the recording it was never answered.
      const isUnanswered =
        execution !== undefined && recorded.endedEarly(recorded.partOf(execution), execution);
      if (!isUnanswered) onDivergence(unrecordedCall(recorded, request));
      return untilAborted(never, signal);
    }
    const divergence = this.#compare(placed, request);
    await state.until((now) => this.isTurnOf(placed, now), signal);
    if (divergence !== null) {
      onDivergence(divergence);
      return untilAborted(never, signal);
    }
    state.progressed();
    return recordedAnswer(placed.call.reply);
  }

  /** True once all calls that were recorded before are recorded again. */
  isTurnOf({ call, part }: PlacedCall, { interactions }: ReplayState): boolean {
    return this.#options.recorded
      .callsOf(part)
      .every((other) => seqOf(other.call) >= seqOf(call) || interactions.has(other.call.interaction_id));
  }

  /** The recorded call that this request repeats; undefined if there is none. */
  #take({ executionId, agentName }: GenerateRequest): PlacedCall | undefined {
    const { recorded, state } = this.#options;
    const execution = recorded.execution(executionId);
    if (execution === undefined) return undefined;
    const isConversation = agentName !== "";
    const calls = execution.llm_calls
      .map((call, position) => ({ execution, call, position, part: recorded.partOf(execution) }))
      .filter(({ call }) => (call.iteration !== null) === isConversation);
    const key = `${executionId} ${isConversation}`;
    let index = this.#taken.get(key) ?? 0;
    // A call that was not sent may not be sent now either.
    for (;;) {
      const call = calls[index]?.call;
      if (call === undefined || call.was_sent) break;
      if (!state.current.interactions.has(call.interaction_id)) break;
      index += 1;
    }
    this.#taken.set(key, index + 1);
    return calls[index];
  }

  #compare(placed: PlacedCall, request: GenerateRequest): ReplayDivergence | null {
    const { recorded, nonce } = this.#options;
    const content = recordedRequest(placed.execution, placed.call);
    // It is not known what was asked.
    if (content === null) return null;
    const owner = { sessionId: recorded.cassette.session.session_id, nonce };
    const now = contentOfRequest(request);
    // With a budget of the session calls are given a limit that their records do not have.
    const isLimited = parseResolvedChain(recorded.cassette.resolved_config).budgets !== undefined;
    const { max_output_tokens } = content.model;
    const compared = isLimited ? { ...now, model: { ...now.model, max_output_tokens } } : now;
    const difference = firstDifference(canonicalRequest(content, owner), canonicalRequest(compared, owner));
    if (difference === null) return null;
    return {
      ...placeOf(recorded, placed),
      pointer: difference.pointer,
      ...divergenceTexts(difference.left, difference.right),
    };
  }
}

/** Where a recorded call was made. */
export function placeOf(
  recorded: RecordedSession,
  { execution, call, position }: PlacedCall,
): Pick<ReplayDivergence, "agent" | "stage" | "execution_id" | "step" | "seq"> {
  return {
    ...agentOf(recorded, execution.execution_id),
    step: `call ${position + 1} of the model (${call.type})`,
    seq: call.seq,
  };
}

/** Names an execution of the recording. */
export function agentOf(
  recorded: RecordedSession,
  executionId: string,
): Pick<ReplayDivergence, "agent" | "stage" | "execution_id"> {
  const execution = recorded.execution(executionId);
  const stage = recorded.cassette.stages.find(({ stage_id }) => stage_id === execution?.stage_id);
  return {
    agent: execution?.agent_name ?? null,
    stage: stage?.stage_name ?? null,
    execution_id: executionId,
  };
}

function unrecordedCall(recorded: RecordedSession, request: GenerateRequest): ReplayDivergence {
  const asked = request.messages.at(-1)?.content ?? "";
  return {
    ...agentOf(recorded, request.executionId),
    agent: recorded.execution(request.executionId)?.agent_name ?? (request.agentName || null),
    step: "a call of the model that was not recorded",
    seq: null,
    pointer: "",
    ...divergenceTexts(undefined, asked),
  };
}
