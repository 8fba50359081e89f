import type { AgentStep } from "./agent-state.ts";
import type { ExecutionRun } from "./execution-run.ts";
import type { RankedMemory } from "../features/memories/select-ranked.ts";
import type { Evidence } from "../state/evidence.ts";
import type { SubAgentState } from "../state/session-state.ts";

/**
 * Lets a replay impose the order in which agents that run beside one another were recorded, and what each had seen of the others
 * and heard from outside. Absent in operation.
 */
export interface Pacing {
  /** What an agent is to know of its sub-agents when its next step is decided, whose message would have this number. */
  readonly seen: (
    executionId: string,
    nextMessage: number,
    subAgents: readonly SubAgentState[],
  ) => readonly SubAgentState[];
  /** Whether an agent has waited for its sub-agents as long as it may, whatever the clock says. */
  readonly isBudgetOver: (executionId: string) => boolean;
  /** What an agent is to know of the alerts of its incident. */
  readonly evidence: (executionId: string, unread: Evidence | null) => Evidence | null;
  /** What an agent is told of the present time; null if it was not told it. */
  readonly context: (executionId: string) => string | null;
  /** What an agent is told of earlier sessions. */
  readonly memories: (executionId: string) => readonly RankedMemory[];
  /**
   * Awaited before a step is performed; resolves once its turn has come. False: something may have changed since it was decided, so it is
   * decided again. Throws the session's reason when cancelled.
   */
  readonly admit: (run: ExecutionRun, step: AgentStep) => Promise<boolean>;
  /** How long a pause before another try takes that would take `ms`. */
  readonly pauseMs: (ms: number) => number;
  /** Told how the time of a sub-agent is ended. */
  readonly onSubAgent: (executionId: string, endItsTime: () => void) => void;
}
