interface LaneError {
  readonly error: string;
  readonly agents: readonly string[];
}

/** Why agents failed, each reason once with the names of its agents. */
export function laneErrors(
  lanes: readonly { readonly agent: string; readonly error: string | undefined }[],
): readonly LaneError[] {
  const agents = new Map<string, string[]>();
  for (const { agent, error } of lanes) {
    if (error !== undefined) agents.set(error, [...(agents.get(error) ?? []), agent]);
  }
  return [...agents].map(([error, names]) => ({ error, agents: names }));
}
