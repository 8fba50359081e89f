import { asList } from "./as-list.ts";
import { readMembers, readNames, typeOf } from "./read-keywords.ts";
import type { JsonType, SchemaNode } from "./schema-node.ts";

/** The types of a node by its `type` and by its other keywords. */
export function declaredTypes(node: SchemaNode, named: readonly JsonType[]): readonly JsonType[] | undefined {
  const types = [...new Set(named)];
  if (node.values !== undefined) {
    const ofValues = [...new Set(node.values.map(typeOf))];
    const fitting = ofValues.filter(
      (type) =>
        types.length === 0 || types.includes(type) || (type === "integer" && types.includes("number")),
    );
    // Values that do not fit the type beside them: the values say more.
    return fitting.length === ofValues.length && types.length > 0 ? types : ofValues;
  }
  if (types.length > 0) return types;
  if (node.properties.size > 0 || node.additional !== undefined) return ["object"];
  return node.items === undefined && node.prefix === undefined ? undefined : ["array"];
}

/** Which properties must be present with others, by `dependentRequired` and the `dependencies` of earlier drafts. */
export function readDependent(
  schema: Record<string, unknown>,
  properties: ReadonlyMap<string, SchemaNode>,
): ReadonlyMap<string, readonly string[]> {
  const dependent = new Map<string, readonly string[]>();
  for (const key of ["dependencies", "dependentRequired"]) {
    for (const [name, value] of readMembers(schema[key])) {
      // Draft 3 has a single name.
      const names = readNames(asList(value)).filter((other) => properties.has(other));
      if (names.length > 0 && properties.has(name)) dependent.set(name, names);
    }
  }
  return dependent;
}
