import type { Cassette, RecordedExecution } from "#shared/cassette/cassette.ts";
import type { RecordedLlmCall, RecordedToolCall } from "#shared/cassette/recorded-calls.ts";

/** The part of a session that runs on its own: the investigation, or one of the follow-ups. */
export type SessionPart = string;
export const INVESTIGATION: SessionPart = "investigation";

/** A call of a model with the place where it was made. */
export interface PlacedCall {
  readonly execution: RecordedExecution;
  readonly call: RecordedLlmCall;
  /** Among the execution's `llm_calls`. */
  readonly position: number;
  readonly part: SessionPart;
}

/** Finds what a cassette says about a place in its session. */
export class RecordedSession {
  readonly cassette: Cassette;
  readonly #executions: ReadonlyMap<string, RecordedExecution>;
  readonly #partOfStage: ReadonlyMap<string, SessionPart>;
  readonly #calls: ReadonlyMap<SessionPart, readonly PlacedCall[]>;
  readonly #tools: ReadonlyMap<string, RecordedToolCall>;

  constructor(cassette: Cassette) {
    this.cassette = cassette;
    this.#executions = new Map(cassette.executions.map((execution) => [execution.execution_id, execution]));
    this.#partOfStage = new Map(
      cassette.follow_ups.map(({ stage_id, follow_up_id }) => [stage_id, follow_up_id]),
    );
    const placed = cassette.executions.flatMap((execution) =>
      execution.llm_calls.map((call, position) => ({
        execution,
        call,
        position,
        part: this.partOf(execution),
      })),
    );
    this.#calls = Map.groupBy(
      placed.toSorted((a, b) => seqOf(a.call) - seqOf(b.call)),
      ({ part }) => part,
    );
    this.#tools = new Map(
      cassette.executions.flatMap(({ execution_id, tool_calls }) =>
        tool_calls.map((call) => [placeOf(execution_id, call.iteration, call.index), call]),
      ),
    );
  }

  execution(id: string): RecordedExecution | undefined {
    return this.#executions.get(id);
  }

  partOf({ stage_id }: Pick<RecordedExecution, "stage_id">): SessionPart {
    return this.#partOfStage.get(stage_id) ?? INVESTIGATION;
  }

  /** The calls of a part in the order in which they were recorded. */
  callsOf(part: SessionPart): readonly PlacedCall[] {
    return this.#calls.get(part) ?? [];
  }

  executionsOf(part: SessionPart): readonly RecordedExecution[] {
    return this.cassette.executions.filter((execution) => this.partOf(execution) === part);
  }

  toolCall(executionId: string, iteration: number, index: number): RecordedToolCall | undefined {
    return this.#tools.get(placeOf(executionId, iteration, index));
  }

  /** The sub-agents of an execution. */
  subAgentsOf(executionId: string): readonly RecordedExecution[] {
    return this.cassette.executions.filter(({ parent_execution_id }) => parent_execution_id === executionId);
  }

  /** A call of the execution's own conversation, which has had `iteration` calls with it. */
  conversationCall(executionId: string, iteration: number): PlacedCall | undefined {
    const execution = this.execution(executionId);
    const position = execution?.llm_calls.findIndex((call) => call.iteration === iteration) ?? -1;
    const call = execution?.llm_calls[position];
    if (execution === undefined || call === undefined) return undefined;
    return { execution, call, position, part: this.partOf(execution) };
  }

  /** How a part of the session ended. */
  endOf(part: SessionPart): { readonly status: string; readonly error_code: string | null } | undefined {
    if (part === INVESTIGATION) return this.cassette.session;
    return this.cassette.follow_ups.find(({ follow_up_id }) => follow_up_id === part);
  }

  /** Whether a part, or an agent of it, was ended from outside in the middle of what it did. */
  endedEarly(part: SessionPart, execution?: RecordedExecution): boolean {
    const ends = [this.endOf(part), execution];
    return ends.some((end) => end !== undefined && (isEarly(end.status) || end.error_code === POISON));
  }
}

export const POISON = "poison";

function isEarly(status: string): boolean {
  return status === "cancelled" || status === "timed_out" || status === "active" || status === "pending";
}

/** The number after which it was recorded; 0 where it is not known. */
export function seqOf({ seq }: { readonly seq: number | null }): number {
  return seq ?? 0;
}

function placeOf(executionId: string, iteration: number | null, index: number | null): string {
  return `${executionId}:${iteration}:${index}`;
}
