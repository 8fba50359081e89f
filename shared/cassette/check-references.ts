import type { Cassette } from "#shared/cassette/cassette.ts";

/** The id at a place of the cassette. */
interface PlacedId {
  /** A JSON pointer. */
  readonly pointer: string;
  readonly id: string;
}

/**
 * Finds what the schema cannot say of stages, executions and calls: an id that occurs twice, or one that refers to nothing. Returns a
 * sentence with the JSON pointer of the first; undefined if there is none.
 */
export function checkReferences({
  stages,
  executions,
  follow_ups,
  kept_results,
}: Cassette): string | undefined {
  const stageIds = ids("/stages", "stage_id", stages);
  const executionIds = ids("/executions", "execution_id", executions);
  const toolCalls = executions.flatMap(({ listings, tool_calls }, n) => [
    ...ids(`/executions/${n}/listings`, "interaction_id", listings),
    ...ids(`/executions/${n}/tool_calls`, "interaction_id", tool_calls),
  ]);
  const llmCalls = executions.flatMap(({ llm_calls }, n) =>
    ids(`/executions/${n}/llm_calls`, "interaction_id", llm_calls),
  );
  const parents = executions.flatMap(({ parent_execution_id: id }, n) =>
    id === null ? [] : [{ pointer: `/executions/${n}/parent_execution_id`, id }],
  );
  return (
    repeated(stageIds) ??
    repeated(executionIds) ??
    repeated(toolCalls) ??
    repeated(llmCalls) ??
    repeated(ids("/follow_ups", "follow_up_id", follow_ups)) ??
    repeated(ids("/kept_results", "call_id", kept_results)) ??
    unknown(ids("/executions", "stage_id", executions), stageIds, "stage of /stages") ??
    unknown(ids("/follow_ups", "stage_id", follow_ups), stageIds, "stage of /stages") ??
    unknown(parents, executionIds, "execution of /executions")
  );
}

function ids<Name extends string>(
  pointer: string,
  member: Name,
  items: readonly Readonly<Record<Name, string>>[],
): PlacedId[] {
  return items.map((item, n) => ({ pointer: `${pointer}/${n}/${member}`, id: item[member] }));
}

function repeated(list: readonly PlacedId[]): string | undefined {
  const seen = new Set<string>();
  const second = list.find(({ id }) => seen.size === seen.add(id).size);
  return second === undefined ? undefined : `${second.pointer}: the id ${second.id} occurs twice`;
}

function unknown(
  references: readonly PlacedId[],
  known: readonly PlacedId[],
  what: string,
): string | undefined {
  const all = new Set(known.map(({ id }) => id));
  const missing = references.find(({ id }) => !all.has(id));
  return missing === undefined ? undefined : `${missing.pointer}: ${missing.id} is no ${what}`;
}
