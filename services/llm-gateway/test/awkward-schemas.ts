/** Schemas that one API or another refuses, as servers list them or as they might, by what is awkward. */
export const AWKWARD_SCHEMAS: Readonly<Record<string, unknown>> = {
  "no items": object({ tags: { type: "array" } }),
  "no items, deep": object({
    a: { type: "object", properties: { b: { anyOf: [{ type: "array" }, { type: "null" }] } } },
  }),
  "a list of types with array": object({ a: { type: ["array", "null", "string"] } }),
  "anyOf at the root": {
    anyOf: [
      object({ id: { type: "string" } }, ["id"]),
      object({ url: { type: "string" }, ref: { type: "string" } }, ["url"]),
    ],
  },
  "oneOf at the root beside properties": {
    ...object({ kind: { type: "string" } }, ["kind"]),
    oneOf: [
      { required: ["a"], properties: { a: { type: "integer" } } },
      { required: ["b"], properties: { b: { type: "integer" } } },
    ],
  },
  "allOf at the root": {
    allOf: [object({ a: { type: "string" } }, ["a"]), { $ref: "#/definitions/B" }],
    definitions: { B: object({ b: { type: "string" } }, ["b"]) },
  },
  "enum, const and not at the root": { type: "object", properties: {}, enum: [{}], not: { required: ["x"] } },
  "not at the root": { type: "object", not: { required: ["x"] } },
  "a tuple of draft 7": object({
    range: { type: "array", items: [{ type: "integer" }, { type: "integer" }], additionalItems: false },
  }),
  "a tuple of draft 2020-12": object({
    range: { type: "array", prefixItems: [{ type: "integer" }, { type: "string" }], items: false },
  }),
  "an open tuple": object({
    range: { type: "array", items: [{ type: "integer" }], additionalItems: { type: "string" } },
  }),
  "an empty tuple": object({ range: { type: "array", items: [] } }),
  "draft 3": {
    type: "object",
    properties: {
      a: { type: "string", required: true },
      b: { type: ["string", { type: "object", properties: {} }] },
      c: { type: "any", divisibleBy: 2 },
    },
    extends: { properties: { d: { type: "number" } } },
  },
  "draft 4": {
    $schema: "http://json-schema.org/draft-04/schema#",
    id: "http://example.com/root.json",
    ...object({
      a: { type: "number", minimum: 0, exclusiveMinimum: true },
      b: { $ref: "#/definitions/positive" },
    }),
    definitions: { positive: { type: "integer", minimum: 1, exclusiveMinimum: false } },
  },
  "$ref beside other keywords": {
    ...object({ mode: { $ref: "#/$defs/Mode", title: "Mode", description: "How.", default: "fast" } }),
    $defs: { Mode: { type: "string", enum: ["fast", "slow"], description: "A mode." } },
  },
  "$ref into definitions": {
    ...object({ a: { $ref: "#/definitions/A" } }),
    definitions: { A: { type: "string" } },
  },
  "$ref to anywhere": object({ a: { type: "string" }, b: { $ref: "#/properties/a" } }),
  "$ref with escapes": {
    ...object({ a: { $ref: "#/$defs/a~1b%20c~0" } }),
    $defs: { "a/b c~": { type: "string" } },
  },
  "$ref by $anchor": {
    ...object({ a: { $ref: "#here" } }),
    $defs: { A: { $anchor: "here", type: "string" } },
  },
  "$ref by $id": {
    $id: "https://example.com/tool",
    ...object({
      a: { $ref: "part" },
      b: { $ref: "https://example.com/part#/$defs/X" },
      c: { $ref: "part#spot" },
    }),
    $defs: {
      P: {
        $id: "part",
        type: "integer",
        $defs: { X: { type: "boolean" }, Y: { $anchor: "spot", type: "null" } },
      },
    },
  },
  "$ref to elsewhere": object({
    a: { $ref: "https://example.com/schema.json" },
    b: { $ref: "./other.json#/definitions/x" },
  }),
  "$ref to nothing": object({ a: { $ref: "#/$defs/missing" }, b: { $ref: 7 } }),
  "$ref by name only": { ...object({ a: { $ref: "A" } }), $defs: { A: { type: "string" } } },
  "$ref at the root": { $ref: "#/$defs/Args", $defs: { Args: object({ a: { type: "string" } }, ["a"]) } },
  "a chain of $ref": {
    ...object({ a: { $ref: "#/$defs/A" } }),
    $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/C" }, C: { type: "string" } },
  },
  "a circle of $ref": {
    ...object({ a: { $ref: "#/$defs/A" } }),
    $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } },
  },
  recursion: {
    ...object({ tree: { $ref: "#/$defs/Node" } }),
    $defs: {
      Node: object(
        { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/Node" } } },
        ["name", "children"],
      ),
    },
  },
  "recursion to the root": object({ child: { $ref: "#" } }, ["child"]),
  "recursion by $dynamicRef": { $dynamicAnchor: "node", ...object({ child: { $dynamicRef: "#node" } }) },
  "boolean schemas": object(
    { a: true, b: false, c: { type: "array", items: true }, d: { type: "array", items: false } },
    ["a"],
  ),
  "a boolean root": true,
  nullable: object({
    a: { type: "string", nullable: true, enum: ["x", "y"] },
    b: { type: "array", nullable: true, items: {} },
  }),
  const: object({ a: { const: "x" }, b: { const: null }, c: { const: { deep: [1] } }, d: { const: 1.5 } }),
  "mixed enums": object({
    a: { enum: ["x", 1, null, true, { y: 1 }] },
    b: { type: "integer", enum: [1, 2, 3] },
    c: { type: "string", enum: [1, 2] },
    d: { enum: [true] },
    e: { enum: [] },
    f: { type: "string", enum: ["a", null], nullable: true },
  }),
  formats: object({
    a: { type: "string", format: "uri-reference" },
    b: { type: "integer", format: "uint64" },
    c: { type: "string", format: "" },
  }),
  patterns: object({
    a: { type: "string", pattern: "^\\p{L}+$" },
    b: { type: "string", pattern: "^(?<year>\\d{4})$" },
    c: { type: "string", pattern: "[" },
    d: { type: "string", pattern: "^[\\w-.]+\\/\\w$" },
  }),
  "default: null": object({ a: { type: "string", default: null }, b: { type: "boolean", default: false } }),
  "keywords with wrong values": {
    type: "object",
    required: null,
    properties: {
      a: { type: "string", minLength: "3", enum: "x", required: false, description: 7, title: {} },
      b: { type: "number", minimum: "0", multipleOf: 0 },
      c: { type: "flot" },
      d: null,
      e: "string",
      f: [],
    },
  },
  "null for everything": {
    type: null,
    properties: null,
    required: null,
    items: null,
    anyOf: null,
    description: null,
  },
  "types in other words": object({
    a: { type: "STRING" },
    b: { type: "int" },
    c: { type: "dict" },
    d: { type: "List" },
    e: { type: "bool" },
    f: { type: "constructor" },
  }),
  "an empty schema": {},
  "an empty object": object({}),
  "no properties": { type: "object" },
  "no schema": "",
  "no JSON": "{",
  null: null,
  "a list": [],
  "a number": 7,
  "a string as root": { type: "string" },
  "an array as root": { type: "array", items: { type: "string" } },
  "a list of types as root": { type: ["object", "null"], properties: { a: { type: "string" } } },
  names: object(
    Object.fromEntries(
      [
        "$filter",
        "filter[x]",
        "filter x",
        "filter_x",
        "a".repeat(100),
        "a".repeat(101),
        "größe",
        "日本語",
        "",
        " ",
        "7",
        "x.y-z",
        "__proto__",
        "constructor",
        "toString",
        "@odata.type",
        "a/b~c",
        "👩‍💻",
        "\u0000",
      ].map((name) => [name, { type: "string" }]),
    ),
    ["$filter", "filter[x]", "__proto__", "日本語"],
  ),
  "names inside": object({
    list: { type: "array", items: object({ $top: { type: "integer" } }, ["$top"]) },
    map: { type: "object", additionalProperties: object({ "a b": { type: "string" } }) },
    either: { anyOf: [object({ "a b": { type: "string" } }), { type: "string" }] },
    pair: { type: "array", prefixItems: [object({ "x y": {} }), { type: "string" }] },
  }),
  dependencies: {
    ...object({ "a b": {}, c: {}, d: {} }),
    dependencies: {
      "a b": ["c"],
      c: "d",
      d: { properties: { "e f": { type: "string" } }, required: ["e f"] },
    },
    dependentRequired: { c: ["a b"] },
  },
  // As text: an object with the key "then" looks like a promise.
  conditions:
    '{"properties":{"kind":{"enum":["a","b"]}},"if":{"properties":{"kind":{"const":"a"}}},"then":{"properties":{"x":{"type":"array"}},"required":["x"]},"else":{"properties":{"y":{}}}}',
  patternProperties: {
    type: "object",
    patternProperties: { "^x-": { type: "string" }, "^\\p{L}": {} },
    additionalProperties: false,
    propertyNames: { pattern: "^[a-z]+$" },
  },
  "required without property": { type: "object", properties: { a: {} }, required: ["a", "b", "b", 7] },
  contradictions: {
    allOf: [object({ a: { type: "string" } }), object({ a: { type: "integer" } }, ["a"])],
    type: "object",
  },
  "unknown keywords": {
    ...object({
      a: {
        type: "string",
        "x-order": 1,
        prefill: "x",
        enumTitles: ["X"],
        $comment: "c",
        readOnly: true,
        examples: ["e"],
        deprecated: true,
      },
    }),
    $schema: "http://json-schema.org/draft-07/schema#",
    "x-root": {},
  },
  "contains and unevaluated": object({
    a: { type: "array", contains: { type: "string" }, minContains: 1, unevaluatedItems: false },
  }),
};

/** Roots for which no arguments are valid. */
export const HOPELESS_SCHEMAS: readonly unknown[] = [
  false,
  { anyOf: [false, false] },
  { allOf: [true, false] },
];

/** A schema of an object with these properties. */
export function object(properties: object, required?: readonly string[]): object {
  return { type: "object", properties, ...(required === undefined ? {} : { required }) };
}
