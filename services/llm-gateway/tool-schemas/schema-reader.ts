import {
  asList,
  addAlternatives,
  addProperties,
  intersectAll,
  ANYTHING,
  NOTHING,
  type JsonType,
  type SchemaNode,
  shortJson,
} from "./schema-node.ts";
import { isObject } from "#shared/exact-json.ts";
import {
  readMembers,
  readNames,
  readText,
  readConstraints,
  readValues,
  typeNamed,
  declaredTypes,
  readDependent,
  baseOf,
  type SchemaDocument,
  type SchemaPlace,
} from "./schema-source.ts";

/** The limits of a schema. */
interface SchemaLimits {
  /** Levels of schemas inside each other, references included. */
  readonly depth: number;
  /** The number of times that a schema may occur inside itself. */
  readonly recursion: number;
  /** Schemas in total. */
  readonly nodes: number;
  /** Properties of one object. */
  readonly properties: number;
  /** Values of an enum. */
  readonly values: number;
  /** The length of the description of a property, in UTF-16 code units. */
  readonly description: number;
}

/** The limits from nearly everything to little more than the names of the arguments; each is tried if the one before is too large. */
export const SCHEMA_LIMITS: readonly SchemaLimits[] = [
  { depth: 16, recursion: 2, nodes: 4_000, properties: 1_000, values: 500, description: 2_000 },
  { depth: 10, recursion: 1, nodes: 2_000, properties: 500, values: 100, description: 500 },
  { depth: 6, recursion: 1, nodes: 600, properties: 200, values: 40, description: 200 },
  { depth: 4, recursion: 0, nodes: 200, properties: 100, values: 20, description: 100 },
  { depth: 2, recursion: 0, nodes: 100, properties: 60, values: 10, description: 40 },
  { depth: 2, recursion: 0, nodes: 100, properties: 40, values: 0, description: 0 },
];

/** The position of the reader. */
interface Position extends SchemaPlace {
  /** Levels of the described value above. */
  readonly depth: number;
  /** Schemas above, those included that describe the same value. */
  readonly steps: number;
  /** The number of times that each schema that a reference led to is above. */
  readonly above: ReadonlyMap<unknown, number>;
}

/** A chain of references or combinations may be no longer. */
const MAX_STEPS = 100;
const REFERENCES = ["$ref", "$recursiveRef", "$dynamicRef"];

/**
 * Reads a schema of any draft, or anything else, within limits: what exceeds them is open, and a note says so. `isWhole` is
 * false if it has more schemas than the limits allow; which of them were read is then arbitrary.
 */
export function readSchema(
  document: SchemaDocument,
  limits: SchemaLimits,
): { readonly node: SchemaNode; readonly isWhole: boolean } {
  const reader = new SchemaReader(document, limits);
  const node = reader.read({ ...document.root, depth: 0, steps: 0, above: new Map() });
  return { node, isWhole: reader.isWhole };
}

class SchemaReader {
  readonly #document: SchemaDocument;
  readonly #limits: SchemaLimits;
  #nodes = 0;

  constructor(document: SchemaDocument, limits: SchemaLimits) {
    this.#document = document;
    this.#limits = limits;
  }

  get isWhole(): boolean {
    return this.#nodes <= this.#limits.nodes;
  }

  read(place: Position): SchemaNode {
    this.#nodes += 1;
    const { value: schema } = place;
    if (schema === false) return NOTHING;
    if (!isObject(schema)) return ANYTHING;
    if (place.depth > this.#limits.depth || place.steps > MAX_STEPS || !this.isWhole) {
      return cut(schema, "more is left out here");
    }
    const here: Position = { ...place, base: baseOf(schema, place.base) };
    const parts = [this.#readOwn(schema, here), ...this.#references(schema, here)];
    for (const part of asList(schema["allOf"] ?? schema["extends"])) {
      parts.push(this.#beside(part, here));
    }
    const node = addProperties(intersectAll(parts), this.#conditional(schema, here));
    const alternatives = ["anyOf", "oneOf"].map((key) =>
      asList(schema[key]).map((part) => this.#beside(part, here)),
    );
    return alternatives.reduce((result, branches) => addAlternatives(result, branches), node);
  }

  /** A schema for a part of the value. */
  #below(value: unknown, { base, depth, steps, above }: Position): SchemaNode {
    return this.read({ value, base, depth: depth + 1, steps: steps + 1, above });
  }

  /** Another schema for the same value. */
  #beside(value: unknown, { base, depth, steps, above }: Position): SchemaNode {
    return this.read({ value, base, depth, steps: steps + 1, above });
  }

  #references(schema: Record<string, unknown>, here: Position): readonly SchemaNode[] {
    return REFERENCES.flatMap((key) => {
      const ref = schema[key];
      return typeof ref === "string" ? [this.#follow(ref, here)] : [];
    });
  }

  #follow(ref: string, here: Position): SchemaNode {
    const target = this.#document.resolve(ref, here.base);
    if (target === undefined) return { ...ANYTHING, notes: [`see ${ref.slice(0, 200)}`] };
    const times = here.above.get(target.value) ?? (target.value === this.#document.root.value ? 1 : 0);
    if (times > this.#limits.recursion) return cut(target.value, "the same structure again, left out here");
    const above = new Map(here.above).set(target.value, times + 1);
    return this.read({ ...target, depth: here.depth, steps: here.steps + 1, above });
  }

  /** The schema's own statements, without references and combinations. */
  #readOwn(schema: Record<string, unknown>, here: Position): SchemaNode {
    const properties = new Map<string, SchemaNode>();
    const members = readMembers(schema["properties"]);
    const kept = this.#kept(members, new Set(readNames(schema["required"])));
    const required = new Set(readNames(schema["required"]).slice(0, this.#limits.properties));
    for (const [name, value] of kept) {
      const property = this.#below(value, here);
      if (property.never) continue;
      properties.set(name, property);
      // Draft 3.
      if (isObject(value) && value["required"] === true) required.add(name);
    }
    for (const name of required) if (!properties.has(name)) properties.set(name, ANYTHING);
    const values = readValues(schema);
    const isLong = values !== undefined && values.length > this.#limits.values;
    const { additional, notes } = this.#readOthers(schema, here);
    const own: SchemaNode = {
      ...ANYTHING,
      title: readText(schema["title"]),
      description: readText(schema["description"]),
      values,
      properties,
      required,
      additional,
      ...this.#readElements(schema, here),
      dependent: readDependent(schema, properties),
      constraints: readConstraints(schema),
      notes: [
        ...notes,
        ...(isLong ? [`one of ${shortJson(values)}`] : []),
        ...(kept.length < members.length
          ? [`${members.length - kept.length} more properties are left out`]
          : []),
        ...statements(schema),
      ],
    };
    const typed = this.#withTypes(own, schema, here);
    return isLong ? { ...typed, values: undefined } : typed;
  }

  /** The properties that the limits allow: those first that are required. */
  #kept(
    members: readonly (readonly [string, unknown])[],
    required: ReadonlySet<string>,
  ): readonly (readonly [string, unknown])[] {
    const { properties: max } = this.#limits;
    if (members.length <= max) return members;
    const needed = members.filter(([name]) => required.has(name)).slice(0, max);
    const others = members.filter(([name]) => !required.has(name)).slice(0, max - needed.length);
    return [...needed, ...others];
  }

  #withTypes(node: SchemaNode, schema: Record<string, unknown>, here: Position): SchemaNode {
    const declared = asList(schema["type"]);
    // Draft 3 has schemas among the types.
    const schemas = declared.filter(isObject).map((part) => this.#beside(part, here));
    const named = declared.map(typeNamed).filter((type) => type !== undefined);
    if (schemas.length > 0) {
      const simple = named.map((type): SchemaNode => ({ ...ANYTHING, types: [type] }));
      return addAlternatives(node, [...simple, ...schemas]);
    }
    const nullable = schema["nullable"] === true;
    const types = declaredTypes(node, named);
    if (types === undefined || !nullable) return { ...node, types };
    return {
      ...node,
      types: [...new Set<JsonType>([...types, "null"])],
      values: node.values === undefined || node.values.includes(null) ? node.values : [...node.values, null],
    };
  }

  /** `additionalProperties`, `patternProperties` and `propertyNames`. */
  #readOthers(schema: Record<string, unknown>, here: Position): Pick<SchemaNode, "additional" | "notes"> {
    const patterns = readMembers(schema["patternProperties"]);
    const stated = schema["additionalProperties"] ?? schema["unevaluatedProperties"];
    const additional = stated === undefined || stated === null ? undefined : this.#below(stated, here);
    const names = schema["propertyNames"];
    const notes =
      isObject(names) && Object.keys(names).length > 0 ? [`names of properties: ${shortJson(names)}`] : [];
    if (patterns.length === 0) return { additional, notes };
    const kinds = patterns.map(([, value]) => this.#below(value, here));
    notes.push(
      `further properties have names like ${patterns.map(([pattern]) => pattern.slice(0, 100)).join(" or ")}`,
    );
    const isOpen = additional !== undefined && !additional.never;
    const all = isOpen ? [...kinds, additional] : kinds;
    const [only] = all;
    return { additional: all.length === 1 && only !== undefined ? only : { ...ANYTHING, anyOf: all }, notes };
  }

  /** The elements of an array, in the form of draft 2020-12. */
  #readElements(schema: Record<string, unknown>, here: Position): Pick<SchemaNode, "items" | "prefix"> {
    const { items } = schema;
    const list = Array.isArray(schema["prefixItems"]) ? schema["prefixItems"] : items;
    const isTuple = Array.isArray(list);
    const rest = Array.isArray(items) ? schema["additionalItems"] : items;
    const prefix = isTuple ? list.map((part) => this.#below(part, here)) : undefined;
    return {
      prefix: prefix === undefined || prefix.length === 0 ? undefined : prefix,
      items: rest === undefined || rest === null ? undefined : this.#below(rest, here),
    };
  }

  /** Schemas that hold under a condition: their properties are shown, and none of them is required. */
  #conditional(schema: Record<string, unknown>, here: Position): readonly SchemaNode[] {
    const dependent = ["dependencies", "dependentSchemas"].flatMap((key) =>
      readMembers(schema[key]).map(([, value]) => value),
    );
    return [schema["then"], schema["else"], ...dependent]
      .filter(isObject)
      .map((part) => this.#beside(part, here));
  }
}

/** The statements that only a text can make. */
function statements(schema: Record<string, unknown>): readonly string[] {
  const notes: string[] = [];
  if (isObject(schema["not"])) notes.push(`not ${shortJson(schema["not"])}`);
  if (isObject(schema["if"])) {
    notes.push(
      `if ${shortJson(schema["if"])} then ${shortJson(schema["then"])} else ${shortJson(schema["else"])}`,
    );
  }
  return notes;
}

/** An open node of the same type, with a note. */
function cut(schema: unknown, note: string): SchemaNode {
  if (!isObject(schema)) return { ...ANYTHING, notes: [note] };
  const types = asList(schema["type"])
    .map(typeNamed)
    .filter((type) => type !== undefined);
  const isObjectLike = types.length === 0 && isObject(schema["properties"]);
  const open: SchemaNode = {
    ...ANYTHING,
    types: types.length > 0 ? [...new Set(types)] : isObjectLike ? ["object"] : undefined,
    description: readText(schema["description"]),
    notes: [note],
  };
  return open;
}
