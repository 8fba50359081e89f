import { joinNames, type ArgumentNames } from "./argument-names.ts";
import { cutText, shortJson, ANYTHING, type JsonType, type SchemaNode } from "./schema-node.ts";
import { typeOf } from "./schema-source.ts";
import type { ToolRules } from "./tool-rules.ts";

type JsonSchema = Record<string, unknown>;

/** A schema in an API's form. */
interface WrittenSchema {
  readonly schema: JsonSchema;
  /** Undefined if no argument has another name than its tool gave it. */
  readonly names: ArgumentNames | undefined;
}

interface WriterOptions {
  readonly rules: ToolRules;
  /** Replacements for names of properties. */
  readonly replaced: ReadonlyMap<string, string>;
  /** The length of a property's description, in UTF-16 code units. */
  readonly maxDescription: number;
}

/** Writes a node in the form that an API accepts. What the API has no keyword for becomes part of the description. */
export function writeSchema(node: SchemaNode, options: WriterOptions): WrittenSchema {
  const parts = typeParts(node, options.rules);
  return parts === undefined ? writeOne(node, options) : writeAlternatives(node, parts, options);
}

/** The node as alternatives of one type each, if the API accepts no list of its types, or no enum of its values. */
function typeParts(node: SchemaNode, { typeLists, enums }: ToolRules): readonly SchemaNode[] | undefined {
  const types = node.types ?? [];
  const byValue = node.values !== undefined && enums === "one type" ? kindsOf(node.values) : [];
  const isMixed = byValue.filter((kind) => kind !== "null").length > 1;
  const tooManyTypes = typeLists === "nullable" && types.filter((type) => type !== "null").length > 1;
  if (node.anyOf !== undefined) return tooManyTypes ? [] : undefined;
  if (isMixed) {
    return byValue.map((kind): SchemaNode => {
      const values = node.values?.filter((value) => kindOf(value) === kind) ?? [];
      return { ...ANYTHING, types: [...new Set(values.map(typeOf))], values };
    });
  }
  return tooManyTypes ? types.map((type) => onlyType(node, type)) : undefined;
}

function kindsOf(values: readonly unknown[]): readonly string[] {
  return [...new Set(values.map(kindOf))];
}

function kindOf(value: unknown): string {
  return typeof value === "number" ? "number" : typeOf(value);
}

/** The statements of a node about values of one type. */
function onlyType(node: SchemaNode, type: JsonType): SchemaNode {
  const { properties, required, additional, dependent, items, prefix, constraints } = node;
  const values = node.values?.filter((value) => kindOf(value) === type || typeOf(value) === type);
  const base: SchemaNode = { ...ANYTHING, types: [type], values: values?.length === 0 ? undefined : values };
  if (type === "object") return { ...base, properties, required, additional, dependent };
  return type === "array" ? { ...base, items, prefix, constraints } : { ...base, constraints };
}

function writeAlternatives(
  node: SchemaNode,
  parts: readonly SchemaNode[],
  options: WriterOptions,
): WrittenSchema {
  const texts: SchemaNode = {
    ...ANYTHING,
    title: node.title,
    description: node.description,
    notes: node.notes,
  };
  // The node's own alternatives say enough without parts.
  const anyOf = parts.length === 0 ? node.anyOf : parts;
  return writeOne({ ...texts, anyOf }, options);
}

function writeOne(node: SchemaNode, options: WriterOptions): WrittenSchema {
  const { rules } = options;
  const notes: string[] = [...node.notes];
  const schema: JsonSchema = {};
  const types = shownTypes(node);
  const [type] = types ?? [];
  if (types !== undefined) schema["type"] = types.length === 1 ? type : types;
  if (node.title !== undefined) schema["title"] = cutText(node.title, 200);
  const values = shownValues(node, rules);
  if (values === undefined) notes.push(...valueNotes(node));
  else {
    schema["enum"] = values;
    if (node.values?.includes("") === true && !values.includes("")) notes.push('or ""');
  }
  const inside: (ArgumentNames | undefined)[] = [];
  if (types === undefined || types.includes("object")) inside.push(writeObject(node, options, schema, notes));
  if (types === undefined || types.includes("array")) inside.push(writeArray(node, options, schema, notes));
  if (node.anyOf !== undefined) {
    const branches = node.anyOf.map((branch) => writeSchema(branch, options));
    schema["anyOf"] = branches.map((branch) => branch.schema);
    inside.push(...branches.map(({ names }) => names));
  }
  writeConstraints(node, options, schema, notes);
  const description = describe(node, notes, options);
  if (description !== "") schema["description"] = description;
  return { schema, names: joinNames(inside) };
}

/** The types, without those that others include: an integer is a number. */
function shownTypes({ types }: SchemaNode): readonly JsonType[] | undefined {
  if (types === undefined || types.length === 0) return undefined;
  return types.includes("number") ? types.filter((type) => type !== "integer") : types;
}

/** The values of an enum that the API accepts; undefined if it accepts none of this type. */
function shownValues({ values }: SchemaNode, { enums }: ToolRules): readonly unknown[] | undefined {
  if (values === undefined || enums === "any") return values;
  // The type says null, and a note says "".
  const others = values.filter((value) => value !== null && value !== "");
  const isSimple =
    others.every((value) => typeof value === "string") || others.every((value) => typeof value === "number");
  return isSimple && others.length > 0 ? others : undefined;
}

/** The values of an enum that could not be sent as one; nothing if the type says the same. */
function valueNotes({ values }: SchemaNode): readonly string[] {
  if (values === undefined) return [];
  const others = values.filter((value) => value !== null);
  const isBoolean = others.includes(true) && others.includes(false);
  return others.length === 0 || (isBoolean && others.length === 2) ? [] : [`one of ${shortJson(values)}`];
}

function writeObject(
  node: SchemaNode,
  options: WriterOptions,
  schema: JsonSchema,
  notes: string[],
): ArgumentNames | undefined {
  const { rules, replaced } = options;
  const nameOf = (name: string) => replaced.get(name) ?? name;
  const isObject = node.types?.includes("object") === true;
  const known = [...node.properties].map(([name, property]) => {
    const own = replaced.has(name)
      ? { ...property, notes: [...property.notes, `the tool's name: ${shortJson(name)}`] }
      : property;
    return { name, shown: nameOf(name), ...writeSchema(own, options) };
  });
  if (known.length > 0 || (isObject && rules.emptyProperties)) {
    schema["properties"] = Object.fromEntries(known.map((property) => [property.shown, property.schema]));
  }
  const required = [...node.required].filter((name) => node.properties.has(name));
  if (required.length > 0) schema["required"] = required.map(nameOf);
  const rest = writeAllowed(node.additional, options);
  if (node.additional !== undefined) {
    const isOpen = rest !== undefined && Object.keys(rest.schema).length === 0;
    schema["additionalProperties"] = rest === undefined ? false : isOpen ? true : rest.schema;
  }
  if (node.dependent.size > 0) {
    const dependent = [...node.dependent].map(
      ([name, others]) => [nameOf(name), others.map(nameOf)] as const,
    );
    if (rules.keywords.has("dependentRequired")) schema["dependentRequired"] = Object.fromEntries(dependent);
    else notes.push(...dependent.map(([name, others]) => `${name} requires ${others.join(", ")}`));
  }
  const isRenamed = known.some(({ name, shown, names }) => name !== shown || names !== undefined);
  if (!isRenamed && rest?.names === undefined) return undefined;
  const properties = new Map(known.map(({ name, shown, names }) => [shown, { name, inside: names }]));
  return { properties, others: rest?.names, first: [], elements: undefined };
}

function writeArray(
  node: SchemaNode,
  options: WriterOptions,
  schema: JsonSchema,
  notes: string[],
): ArgumentNames | undefined {
  const first = node.prefix?.map((part) => writeSchema(part.never ? ANYTHING : part, options)) ?? [];
  const rest = writeAllowed(node.items, options);
  if (first.length === 0 && rest === undefined && node.types?.includes("array") !== true) return undefined;
  if (node.items?.never === true) schema["maxItems"] = first.length;
  if (first.length === 0) {
    schema["items"] = rest?.schema ?? {};
  } else if (options.rules.tuples === "prefixItems") {
    schema["prefixItems"] = first.map((part) => part.schema);
    schema["items"] = rest?.schema ?? {};
  } else {
    schema["items"] = anyElement(rest === undefined ? first : [...first, rest]);
    notes.push(`a list of, in this order: ${(node.prefix ?? []).map(nameElement).join(", ")}`);
  }
  if ([...first, rest].every((part) => part?.names === undefined)) return undefined;
  return {
    properties: new Map(),
    others: undefined,
    first: first.map(({ names }) => names),
    elements: rest?.names,
  };
}

/** Undefined if no value is valid, or if the node says nothing. */
function writeAllowed(node: SchemaNode | undefined, options: WriterOptions): WrittenSchema | undefined {
  return node === undefined || node.never ? undefined : writeSchema(node, options);
}

/** One schema for all elements of a tuple. */
function anyElement(elements: readonly WrittenSchema[]): JsonSchema {
  const kinds = new Map(elements.map(({ schema }) => [JSON.stringify(schema), schema]));
  const [only, ...others] = kinds.values();
  return others.length === 0 ? (only ?? {}) : { anyOf: [...kinds.values()] };
}

function nameElement({ title, description, types }: SchemaNode, index: number): string {
  return cutText(title ?? description ?? types?.join(" or ") ?? `element ${index + 1}`, 60);
}

function writeConstraints(
  node: SchemaNode,
  { rules }: WriterOptions,
  schema: JsonSchema,
  notes: string[],
): void {
  for (const [key, value] of node.constraints) {
    const isUsable =
      key !== "pattern" || !rules.pythonPatterns || (typeof value === "string" && isPythonPattern(value));
    if (!rules.keywords.has(key) || !isUsable) {
      if (value === true) notes.push(key);
      else notes.push(`${key}: ${shortJson(value)}`);
    } else if (schema[key] === undefined) {
      schema[key] = value;
    }
  }
  // Said by prefixItems above for APIs that have no keyword for it.
  if (!rules.keywords.has("maxItems") && typeof schema["maxItems"] === "number") {
    notes.push(`maxItems: ${schema["maxItems"]}`);
    delete schema["maxItems"];
  }
}

function describe(
  { description = "" }: SchemaNode,
  notes: readonly string[],
  { maxDescription }: WriterOptions,
): string {
  if (maxDescription === 0) return "";
  const addition = notes.length === 0 ? "" : `(${notes.join("; ")})`;
  const text = cutText(description, maxDescription);
  return [text, cutText(addition, maxDescription)].filter((part) => part !== "").join(" ");
}

/** The letters that Python allows after a backslash; `x` and `u` with their digits only. */
const ESCAPES = /\\(?![AbBdDsSwWZnrtfva0-9]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4})[A-Za-z]/u;
const CLASSES = /\[(?:\\.|[^\]\\])*\]/gu;
/** A class of characters as one end of a range, which only JavaScript takes as three characters. */
const BAD_RANGE = /\\[dswDSW]-[^\]]|[^[^\\]-\\[dswDSW]/u;

/**
 * True if Python's `re` compiles a regular expression, too. False also for a few that it would compile: those that look
 * behind.
 */
function isPythonPattern(pattern: string): boolean {
  try {
    void new RegExp(pattern);
  } catch {
    return false;
  }
  // An escaped backslash is no beginning of another escape.
  const plain = pattern.replaceAll("\\\\", "--");
  if (ESCAPES.test(plain) || plain.includes("(?<")) return false;
  // JavaScript's empty class, and its opposite.
  if (/(?<!\\)\[\^?\]/u.test(plain)) return false;
  return !(plain.match(CLASSES) ?? []).some((characters) => BAD_RANGE.test(characters));
}
