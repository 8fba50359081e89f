import { lanesOf, type SessionView } from "./session-view.ts";

interface LaneError {
  readonly error: string;
  readonly agents: readonly string[];
}

/** Why agents failed, each reason once with the names of its agents. */
export function laneErrors(view: Pick<SessionView, "stages">): readonly LaneError[] {
  const agents = new Map<string, string[]>();
  for (const { agent, error } of lanesOf(view)) {
    if (error !== undefined) agents.set(error, [...(agents.get(error) ?? []), agent]);
  }
  return [...agents].map(([error, names]) => ({ error, agents: names }));
}
