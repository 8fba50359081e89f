import type { SessionEventPayload } from "#shared/contracts/session-event.ts";
import type { TerminalStatus } from "#shared/contracts/statuses.ts";
import type { AguiEvent } from "./agui-event.ts";

type ExecutionStatus = Extract<SessionEventPayload, { type: "execution.status" }>;

/** An agent that runs. */
interface RunningAgent {
  readonly parent: string | undefined;
  /** The only agent of an answer speaks for the run itself. */
  readonly isRunItself: boolean;
  /** The calls without a result. */
  readonly calls: Set<string>;
  /** The newest whole answer: a final analysis often repeats it. */
  answer?: string;
}

const NO_RESULT = "The agent ended without a result of this call.";

/** The agents of a run that have begun and not ended. */
export class RunningAgents {
  readonly #running = new Map<string, RunningAgent>();
  readonly #isAnswer: boolean;

  /** `isAnswer`: the run is one stage, whose agent is the run itself. */
  constructor(isAnswer: boolean) {
    this.#isAnswer = isAnswer;
  }

  get(id: string): RunningAgent | undefined {
    return this.#running.get(id);
  }

  /** The agent that an event comes from, as long as it runs. */
  tag(id: string): { readonly subagentRunId?: string } {
    const agent = this.#running.get(id);
    return agent === undefined || agent.isRunItself ? {} : { subagentRunId: id };
  }

  /** True if each agent is one of those that wait, or has started one that runs. */
  allWait(ids: readonly string[]): boolean {
    const waiting = new Set(ids);
    for (const { parent } of this.#running.values()) if (parent !== undefined) waiting.add(parent);
    return [...this.#running.keys()].every((id) => waiting.has(id));
  }

  start({
    execution_id: id,
    parent_execution_id: parent,
    agent_name: name,
  }: ExecutionStatus): readonly AguiEvent[] {
    if (this.#running.has(id)) return [];
    const isRunItself = this.#isAnswer && parent === undefined;
    this.#running.set(id, { parent, isRunItself, calls: new Set() });
    if (isRunItself) return [];
    const { subagentRunId: parentSubagentRunId } = parent === undefined ? {} : this.tag(parent);
    return [
      {
        type: "SUBAGENT_STARTED",
        subagentRunId: id,
        name,
        ...(parentSubagentRunId === undefined ? {} : { parentSubagentRunId }),
      },
    ];
  }

  end({ execution_id: id, error_message }: ExecutionStatus, status: TerminalStatus): readonly AguiEvent[] {
    const agent = this.#running.get(id);
    if (agent === undefined) return [];
    const left = this.#leave(id, agent);
    this.#running.delete(id);
    return agent.isRunItself ? left : [...left, agentEnd(id, status, error_message)];
  }

  /** Clients take a call without a result for one that they have to make. */
  leaveCalls(): readonly AguiEvent[] {
    return [...this.#running].flatMap(([id, agent]) => this.#leave(id, agent));
  }

  /** Ends all: sub-agents before the agents that started them. */
  endAll(endOf: (id: string) => AguiEvent): readonly AguiEvent[] {
    const ended = [...this.#running].filter(([, { isRunItself }]) => !isRunItself).toReversed();
    this.#running.clear();
    return ended.map(([id]) => endOf(id));
  }

  #leave(id: string, { calls }: RunningAgent): readonly AguiEvent[] {
    const left = [...calls];
    calls.clear();
    return left.map((toolCallId) => ({
      type: "TOOL_CALL_RESULT",
      messageId: `${toolCallId}#none`,
      toolCallId,
      content: NO_RESULT,
      role: "tool",
      metadata: { is_error: true },
      ...this.tag(id),
    }));
  }
}

/** The end of an agent; `why` is its error, if there is one. */
export function agentEnd(subagentRunId: string, status: string, why: string | undefined): AguiEvent {
  return status === "completed"
    ? { type: "SUBAGENT_FINISHED", subagentRunId, outcome: { type: "success" } }
    : { type: "SUBAGENT_ERROR", subagentRunId, message: why ?? `the agent ended ${status}`, code: status };
}
