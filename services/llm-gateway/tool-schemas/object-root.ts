import { addAlternatives, intersect } from "./intersect-nodes.ts";
import { shortJson } from "./short-json.ts";
import { ANYTHING, NOTHING, isAnything, type SchemaNode } from "./schema-node.ts";

/** More alternatives are merged without being described. */
const MAX_BRANCHES = 32;

/** A set of arguments that a tool accepts. */
export interface ArgumentSet {
  readonly title: string | undefined;
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

/** The arguments of a tool as one object. */
interface ObjectRoot {
  readonly node: SchemaNode;
  /** What was merged into the object; empty if there was only one set. */
  readonly sets: readonly ArgumentSet[];
}

/**
 * A tool's root schema as a single object, because most APIs refuse alternatives there: it has the properties of all
 * alternatives, and those are required that all of them require. A root that describes no object becomes an open one.
 * Undefined if no arguments are valid.
 */
export function objectRoot(root: SchemaNode): ObjectRoot | undefined {
  const branches = flatten(root, MAX_BRANCHES).filter(({ never }) => !never);
  if (branches.length === 0) return undefined;
  const objects = branches.filter(({ types }) => types === undefined || types.includes("object"));
  const [first, ...others] = objects;
  if (first === undefined) {
    const note = `the server describes the arguments as ${root.types?.join(" or ") ?? "something else"}`;
    return { node: { ...ANYTHING, types: ["object"], notes: [...root.notes, note] }, sets: [] };
  }
  const merged = others.reduce(mergeObjects, first);
  const node: SchemaNode = {
    ...merged,
    types: ["object"],
    title: root.title,
    description: root.description,
    values: undefined,
    notes: [
      ...(others.length === 0 ? merged.notes : root.notes),
      ...(merged.values === undefined ? [] : [`one of ${shortJson(merged.values)}`]),
    ],
    items: undefined,
    prefix: undefined,
  };
  return { node, sets: argumentSets(objects) };
}

/** The alternatives of a node, each joined with what the node says beside them. */
function flatten(node: SchemaNode, max: number): readonly SchemaNode[] {
  if (node.anyOf === undefined) return [node];
  const rest: SchemaNode = { ...node, anyOf: undefined };
  const flat: SchemaNode[] = [];
  for (const branch of node.anyOf) {
    if (flat.length >= max) break;
    const joined = { ...intersect(rest, branch), title: branch.title };
    flat.push(...flatten(joined, max - flat.length));
  }
  return flat;
}

function mergeObjects(a: SchemaNode, b: SchemaNode): SchemaNode {
  const properties = new Map(a.properties);
  for (const [name, node] of b.properties) {
    const other = properties.get(name);
    properties.set(name, other === undefined ? node : unite(other, node));
  }
  const isClosed = a.additional?.never === true && b.additional?.never === true;
  return {
    ...a,
    properties,
    required: new Set([...a.required].filter((name) => b.required.has(name))),
    additional: isClosed ? NOTHING : undefined,
    dependent: new Map(),
    values: undefined,
  };
}

/** A node for the values that are valid for one or the other. */
function unite(a: SchemaNode, b: SchemaNode): SchemaNode {
  const description = a.description ?? b.description;
  if (isAnything(a)) return { ...a, description };
  if (isAnything(b)) return { ...b, description };
  const [left, right] = [fingerprint(a), fingerprint(b)];
  if (left === right) return a;
  // A constant that tells the alternatives apart.
  if (
    a.values !== undefined &&
    b.values !== undefined &&
    fingerprint({ ...a, values: [] }) === fingerprint({ ...b, values: [] })
  ) {
    const values = new Map([...a.values, ...b.values].map((value) => [JSON.stringify(value), value]));
    return { ...a, values: [...values.values()] };
  }
  const known = onlyAlternatives(a);
  if (known.some((branch) => fingerprint(branch) === right)) return a;
  return addAlternatives({ ...ANYTHING, description }, [...known, ...onlyAlternatives(b)]);
}

function onlyAlternatives(node: SchemaNode): readonly SchemaNode[] {
  const { anyOf, ...rest } = node;
  return anyOf !== undefined && isAnything({ ...rest, anyOf: undefined }) ? anyOf : [node];
}

/** Equal for nodes that say the same about values. */
function fingerprint(node: SchemaNode): string {
  return JSON.stringify(node, (key, value: unknown) => {
    if (key === "title" || key === "description" || key === "notes") return undefined;
    if (value instanceof Map) return [...value];
    return value instanceof Set ? [...value] : value;
  });
}

function argumentSets(objects: readonly SchemaNode[]): readonly ArgumentSet[] {
  const sets = new Map<string, ArgumentSet>();
  for (const { title, properties, required } of objects) {
    const optional = [...properties.keys()].filter((name) => !required.has(name));
    const set = { title, required: [...required], optional };
    sets.set(JSON.stringify([set.required, set.optional]), set);
  }
  return sets.size < 2 ? [] : [...sets.values()];
}
