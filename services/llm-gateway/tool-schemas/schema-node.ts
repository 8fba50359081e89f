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
  /** In the order of the source. */
  readonly properties: ReadonlyMap<string, SchemaNode>;
  /** All of them are in `properties`. */
  readonly required: ReadonlySet<string>;
  /** For other properties; undefined if the source says nothing. */
  readonly additional: SchemaNode | undefined;
  /** By property: those that must be present with it. */
  readonly dependent: ReadonlyMap<string, readonly string[]>;
  /** For the elements after the prefix; undefined if the source says nothing. */
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
