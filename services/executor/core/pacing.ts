import type { RankedMemory } from "./agent-state.ts";

/** Values that a replay imposes on agents besides the features of its own. Absent in operation. */
export interface Pacing {
  /** The memories that an agent gets. */
  readonly memories: (executionId: string) => readonly RankedMemory[];
  /** How long a pause before another try takes that would take `ms`. */
  readonly pauseMs: (ms: number) => number;
  /** Told how the time of a sub-agent is ended. */
  readonly onSubAgent: (executionId: string, endItsTime: () => void) => void;
}
