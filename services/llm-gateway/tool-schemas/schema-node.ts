import { safeCut } from "#shared/safe-cut.ts";

export const JSON_TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"] as const;
export type JsonType = (typeof JSON_TYPES)[number];

/**
 * A JSON Schema of any draft in one form: no references, no `allOf`, `oneOf` or conditions, `const` as a list of values,
 * tuples as a prefix. What has no place here is in `notes`, as text for the model.
 */
export interface SchemaNode {
  /** True if no value is valid. */
  readonly never: boolean;
  /** Undefined for any type. */
  readonly types: readonly JsonType[] | undefined;
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** The allowed values; undefined for any. */
  readonly values: readonly unknown[] | undefined;
  /** Keeps the order of the source. */
  readonly properties: ReadonlyMap<string, SchemaNode>;
  /** All of them are in `properties`. */
  readonly required: ReadonlySet<string>;
  /** The schema of other properties; undefined if the source says nothing. */
  readonly additional: SchemaNode | undefined;
  /** Keyed by property: those that must be present with it. */
  readonly dependent: ReadonlyMap<string, readonly string[]>;
  /** The schema of the elements after the prefix; undefined if the source says nothing. */
  readonly items: SchemaNode | undefined;
  /** The first elements, one by one. */
  readonly prefix: readonly SchemaNode[] | undefined;
  /** The value must be valid for at least one, and for the node itself. */
  readonly anyOf: readonly SchemaNode[] | undefined;
  /** Further keywords of draft 2020-12 with values of the right type: `minimum`, `pattern`, `format`, `default` … */
  readonly constraints: ReadonlyMap<string, unknown>;
  readonly notes: readonly string[];
}

/** A node for which any value is valid. */
export const ANYTHING: SchemaNode = {
  never: false,
  types: undefined,
  title: undefined,
  description: undefined,
  values: undefined,
  properties: new Map(),
  required: new Set(),
  additional: undefined,
  dependent: new Map(),
  items: undefined,
  prefix: undefined,
  anyOf: undefined,
  constraints: new Map(),
  notes: [],
};

/** A node for which no value is valid. */
export const NOTHING: SchemaNode = { ...ANYTHING, never: true };

/** True if a node says nothing about values; its texts do not count. */
export function isAnything(node: SchemaNode): boolean {
  return (
    !node.never &&
    node.types === undefined &&
    node.values === undefined &&
    node.properties.size === 0 &&
    node.required.size === 0 &&
    node.additional === undefined &&
    node.items === undefined &&
    node.prefix === undefined &&
    node.anyOf === undefined &&
    node.constraints.size === 0
  );
}

/** More alternatives are not combined with others. */
const MAX_COMBINED = 16;

/** A node for the values that are valid for all of these. What contradicts is the first one's. */
export function intersectAll(nodes: readonly SchemaNode[]): SchemaNode {
  const [first = ANYTHING, ...others] = nodes;
  return others.reduce((all, node) => intersect(all, node), first);
}

/** A node for the values that are valid for both. What contradicts, and what only one can say, is `a`'s. */
export function intersect(a: SchemaNode, b: SchemaNode): SchemaNode {
  if (a.never || b.never) return NOTHING;
  const merged: SchemaNode = {
    never: false,
    types: commonTypes(a.types, b.types) ?? a.types ?? b.types,
    title: a.title ?? b.title,
    description: a.description ?? b.description,
    values: commonValues(a.values, b.values),
    properties: intersectProperties(a.properties, b.properties),
    required: new Set([...a.required, ...b.required]),
    additional: intersectAdditional(a, b),
    dependent: new Map([...b.dependent, ...a.dependent]),
    items:
      a.items !== undefined && b.items !== undefined ? intersect(a.items, b.items) : (a.items ?? b.items),
    prefix: a.prefix ?? b.prefix,
    anyOf: a.anyOf ?? b.anyOf,
    constraints: new Map([...b.constraints, ...a.constraints]),
    notes: [...new Set([...a.notes, ...b.notes])],
  };
  return a.anyOf === undefined || b.anyOf === undefined
    ? merged
    : addAlternatives({ ...merged, anyOf: a.anyOf }, b.anyOf);
}

/** The node restricted to values that are valid for at least one of these; unchanged if there are none. */
export function addAlternatives(node: SchemaNode, branches: readonly SchemaNode[]): SchemaNode {
  if (branches.length === 0 || node.never) return node;
  const open = branches.filter((branch) => !branch.never && !contradicts(node.types, branch.types));
  const [only] = open;
  if (only === undefined) return branches.every(({ never }) => never) ? NOTHING : node;
  if (open.length === 1) return intersect(node, only);
  if (node.anyOf === undefined) return { ...node, anyOf: open };
  const pairs = node.anyOf.flatMap((left) =>
    open.filter((right) => !contradicts(left.types, right.types)).map((right) => [left, right] as const),
  );
  // Alternatives that are not combined are at least known by name.
  if (pairs.length === 0 || pairs.length > MAX_COMBINED) return addProperties(node, open);
  return { ...node, anyOf: pairs.map(([left, right]) => intersect(left, right)) };
}

/** The node with the properties of these others that it does not have; none of them is required. */
export function addProperties(node: SchemaNode, others: readonly SchemaNode[]): SchemaNode {
  const properties = new Map(node.properties);
  for (const other of others) {
    for (const [name, property] of other.properties) {
      if (!properties.has(name)) properties.set(name, property);
    }
  }
  return properties.size === node.properties.size ? node : { ...node, properties };
}

function contradicts(a: readonly JsonType[] | undefined, b: readonly JsonType[] | undefined): boolean {
  return a !== undefined && b !== undefined && commonTypes(a, b) === undefined;
}

/** Undefined if there is none, or if one of them is undefined. */
function commonTypes(
  a: readonly JsonType[] | undefined,
  b: readonly JsonType[] | undefined,
): readonly JsonType[] | undefined {
  if (a === undefined || b === undefined) return undefined;
  const includes = (types: readonly JsonType[], type: JsonType) =>
    types.includes(type) || (type === "integer" && types.includes("number"));
  const common = new Set([
    ...a.filter((type) => includes(b, type)),
    ...b.filter((type) => includes(a, type)),
  ]);
  return common.size === 0 ? undefined : [...common];
}

function commonValues(
  a: readonly unknown[] | undefined,
  b: readonly unknown[] | undefined,
): readonly unknown[] | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const ofB = new Set(b.map((value) => JSON.stringify(value)));
  const common = a.filter((value) => ofB.has(JSON.stringify(value)));
  return common.length === 0 ? a : common;
}

function intersectProperties(
  a: SchemaNode["properties"],
  b: SchemaNode["properties"],
): SchemaNode["properties"] {
  if (b.size === 0) return a;
  const merged = new Map(a);
  for (const [name, node] of b) {
    const other = a.get(name);
    const both = other === undefined ? node : intersect(other, node);
    if (both.never) merged.delete(name);
    else merged.set(name, both);
  }
  return merged;
}

/** A schema that forbids further properties means its own: in a combination it forbids none of the other's. */
function intersectAdditional(a: SchemaNode, b: SchemaNode): SchemaNode | undefined {
  if (a.additional === undefined || b.additional === undefined) {
    const [one, other] = a.additional === undefined ? [b, a] : [a, b];
    const addsProperties = [...other.properties.keys()].some((name) => !one.properties.has(name));
    return one.additional?.never === true && addsProperties ? undefined : one.additional;
  }
  return a.additional.never ? b.additional : a.additional;
}

/** A list as it is, a single value as a list of one, and nothing as an empty one. */
export function asList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

/** Text with at most this many UTF-16 code units, and a mark where it was cut. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  return max === 0 ? "" : `${text.slice(0, safeCut(text, max - 1))}…`;
}

/** A value as JSON for a person or a model to read, cut if it is long. */
export function shortJson(value: unknown): string {
  return cutText(JSON.stringify(value) ?? "", 200);
}
