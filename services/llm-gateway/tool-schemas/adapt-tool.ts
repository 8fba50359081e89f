import type { ToolDefinition } from "#shared/generated/llm/v1/llm.ts";
import { isObject } from "#shared/exact-json.ts";
import { parseJson } from "../parse-json.ts";
import { invertNames, type ArgumentNames, replacedNames } from "./argument-names.ts";
import {
  cutText,
  addAlternatives,
  intersect,
  shortJson,
  ANYTHING,
  NOTHING,
  isAnything,
  type SchemaNode,
} from "./schema-node.ts";
import { SchemaDocument } from "./schema-source.ts";
import { SCHEMA_LIMITS, readSchema } from "./schema-reader.ts";
import { writeSchema } from "./schema-writer.ts";
import type { ToolRules } from "./tool-rules.ts";

/** A tool in a form that its API accepts. */
export interface AdaptedTool {
  readonly definition: ToolDefinition;
  /** Maps the API's names of arguments to the tool's; undefined if they are the same, as in most tools. */
  readonly toTool: ArgumentNames | undefined;
  readonly toApi: ArgumentNames | undefined;
  /** A remark on the schema for people; undefined if it says all that matters. */
  readonly loss: string | undefined;
}

/** The reason why a tool cannot be offered to a model. */
interface HopelessTool {
  readonly hopeless: string;
}

const OPEN_SCHEMA = JSON.stringify({ type: "object", properties: {} });
/** The length of the text about alternative sets of arguments. */
const MAX_SETS_LENGTH = 1_000;

/**
 * Brings a tool into the form that an API accepts, its schema no longer than `maxLength` UTF-16 code units. The
 * result accepts all that the schema accepts: parts that cannot be kept are left open.
 */
export function adaptTool(
  tool: ToolDefinition,
  rules: ToolRules,
  maxLength: number = rules.maxSchemaLength,
): AdaptedTool | HopelessTool {
  const schema = parseJson(tool.parametersSchema);
  const isSchema = isObject(schema) || typeof schema === "boolean";
  const isMissing = tool.parametersSchema.trim() === "" || schema === null;
  const loss = isSchema || isMissing ? undefined : "its schema is not a JSON Schema";
  const open = (reason: string | undefined) => adapted(tool, rules, { schema: OPEN_SCHEMA, reason });
  if (!isSchema) return open(loss);
  const document = new SchemaDocument(schema);
  for (const [level, limits] of SCHEMA_LIMITS.entries()) {
    const depth = Math.min(limits.depth, rules.maxDepth);
    const { node, isWhole } = readSchema(document, { ...limits, depth });
    if (!isWhole && level < SCHEMA_LIMITS.length - 1) continue;
    const root = objectRoot(node);
    if (root === undefined) return { hopeless: "its schema accepts no arguments" };
    const replaced = replacedNames(root.node, rules.propertyNames);
    const written = writeSchema(root.node, { rules, replaced, maxDescription: limits.description });
    const text = JSON.stringify(written.schema);
    if (text.length > maxLength) continue;
    const reason = level === 0 ? undefined : "its schema is too large and was shortened";
    const sets = describeSets(root.sets, replaced);
    return adapted(tool, rules, { schema: text, reason, sets, names: written.names });
  }
  return open("its schema is too large and was left out");
}

interface AdaptedParts {
  readonly schema: string;
  readonly reason: string | undefined;
  readonly sets?: string;
  readonly names?: ArgumentNames | undefined;
}

function adapted(
  tool: ToolDefinition,
  rules: ToolRules,
  { schema, reason, sets = "", names }: AdaptedParts,
): AdaptedTool {
  const own = tool.description.trim() === "" && !rules.allowsBlankDescription ? tool.name : tool.description;
  const room = Math.max(0, rules.maxDescription - (sets === "" ? 0 : sets.length + 2));
  const description = [cutText(own, room), sets].filter((text) => text !== "").join("\n\n");
  return {
    definition: {
      name: tool.name,
      description: cutText(description, rules.maxDescription),
      parametersSchema: schema,
    },
    toTool: names,
    toApi: invertNames(names),
    loss: reason,
  };
}

/** The alternatives that were merged into one set of arguments, for the model; empty for none. */
function describeSets(sets: readonly ArgumentSet[], replaced: ReadonlyMap<string, string>): string {
  if (sets.length === 0) return "";
  const list = (names: readonly string[]) => names.map((name) => replaced.get(name) ?? name).join(", ");
  const texts = sets.map(({ title, required, optional }, index) => {
    const parts = [
      ...(required.length === 0 ? [] : [`required ${list(required)}`]),
      ...(optional.length === 0 ? [] : [`optional ${list(optional)}`]),
    ];
    return `(${index + 1})${title === undefined ? "" : ` ${title}:`} ${parts.length === 0 ? "none" : parts.join("; ")}`;
  });
  return cutText(`The arguments are one of these sets: ${texts.join(" ")}`, MAX_SETS_LENGTH);
}

/** More alternatives are merged without being described. */
const MAX_BRANCHES = 32;

/** A set of arguments that a tool accepts. */
interface ArgumentSet {
  readonly title: string | undefined;
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

/** The arguments of a tool as one object. */
interface ObjectRoot {
  readonly node: SchemaNode;
  /** The sets that were merged into the object; empty if there was only one set. */
  readonly sets: readonly ArgumentSet[];
}

/**
 * A tool's root schema as a single object, because most APIs refuse alternatives there: it has the properties of all
 * alternatives, and those are required that all of them require. A root that describes no object becomes an open one.
 * Undefined if no arguments are valid.
 */
function objectRoot(root: SchemaNode): ObjectRoot | undefined {
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
  // A constant distinguishes the alternatives.
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
