import type { AgentStep } from "./controllers/controller.ts";
import type { ExecutionRun } from "./execution-run.ts";
import type { SubAgentState } from "./state/session-state.ts";

/**
 * Lets a replay impose the order in which agents that run beside one another were recorded, and what each had seen of the others
 * and heard from outside. Absent in operation.
 */
export interface Pacing {
  /** What the agent is to know of its sub-agents when its next step is decided. */
  readonly seen: (executionId: string, subAgents: readonly SubAgentState[]) => readonly SubAgentState[];
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
