import type { RecordedExecution } from "#shared/cassette/cassette.ts";
import type { RecordedToolCall } from "#shared/cassette/recorded-calls.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { RUN_STATUSES, isTerminal } from "#shared/contracts/statuses.ts";
import type { SubAgentState } from "../../../services/executor/state/session-state.ts";
import type { RecordedSession } from "../recording/recorded-session.ts";
import type { ReplayState } from "./replay-state.ts";

type Status = SubAgentState["status"];

/** What a call about sub-agents was answered from. */
interface View {
  /** Of the call. */
  readonly key: string;
  readonly statuses: ReadonlyMap<string, Status>;
}

const Result = Type.Object({ content: Type.String() }, { additionalProperties: true });
const parseResult = compileParser("result of a recorded call", Result);
const LISTED = /\(exec (?<id>[0-9a-f-]{36})\): status=(?<status>\w+)/gu;
const ALREADY = /^cancel (?<id>[0-9a-f-]{36}): already (?<status>\w+)$/u;

/**
 * What the agents of a replay know of their sub-agents: what they knew in the recording, whichever of them is faster now. One that has
 * ended counts as at work until the moment at which its result was delivered.
 */
export class SubAgentViews {
  readonly #recorded: RecordedSession;
  readonly #views = new Map<string, View>();
  readonly #open = new Set<string>();

  constructor(recorded: RecordedSession) {
    this.#recorded = recorded;
  }

  seen(
    executionId: string,
    nextMessage: number,
    subAgents: readonly SubAgentState[],
  ): readonly SubAgentState[] {
    const view = this.#views.get(executionId);
    if (this.#open.has(executionId) && view === undefined) return subAgents;
    return subAgents.map((child) => {
      const status = view?.statuses.get(child.execution_id);
      if (status !== undefined) return { ...child, status };
      if (!isTerminal(child.status) || child.is_delivered) return child;
      const recorded = this.#recorded.execution(child.execution_id);
      return recorded?.delivered?.message === nextMessage ? child : { ...child, status: "active" };
    });
  }

  /** From now on the agent sees its sub-agents as they are; false if it does already. */
  show(executionId: string): boolean {
    if (this.#open.has(executionId)) return false;
    this.#open.add(executionId);
    return true;
  }

  /** The sub-agent whose result is the conversation's message of this number. */
  deliveredAs(executionId: string, message: number): RecordedExecution | undefined {
    return this.#recorded.subAgentsOf(executionId).find(({ delivered }) => delivered?.message === message);
  }

  /** Makes the agent see what a call about its sub-agents was answered from; false if it does already. */
  showFor(executionId: string, key: string, call: RecordedToolCall | undefined): boolean {
    if (this.#views.get(executionId)?.key === key) return false;
    this.#views.set(executionId, { key, statuses: call === undefined ? new Map() : statusesIn(call) });
    return true;
  }

  /** True once the sub-agents have ended of which the call said so. */
  isTrue(executionId: string, { executions }: ReplayState): boolean {
    const { statuses = new Map<string, Status>() } = this.#views.get(executionId) ?? {};
    return [...statuses].every(([id, status]) => !isTerminal(status) || hasEnded(executions.get(id)));
  }

  /** The call is over; true if there was a view for it. */
  forget(executionId: string): boolean {
    return this.#views.delete(executionId);
  }
}

function hasEnded(status: Status | undefined): boolean {
  return status !== undefined && isTerminal(status);
}

function statusesIn({ tool, result }: RecordedToolCall): ReadonlyMap<string, Status> {
  const text = contentOf(result)?.content ?? "";
  const already = ALREADY.exec(text);
  const found = tool === "list_agents" ? [...text.matchAll(LISTED)] : already === null ? [] : [already];
  return new Map(
    found.flatMap(({ groups }) => {
      const status = RUN_STATUSES.find((known) => known === groups?.["status"]);
      const id = groups?.["id"];
      return id === undefined || status === undefined ? [] : [[id, status] as const];
    }),
  );
}

function contentOf(result: unknown): Static<typeof Result> | null {
  try {
    return parseResult(result);
  } catch {
    return null; // a call without a result
  }
}
