import type { ToolDefinition } from "#shared/generated/llm/v1/llm.ts";
import { isObject, parseJson } from "../parse-json.ts";
import { invertNames, type ArgumentNames } from "./argument-names.ts";
import { cutText } from "./cut-text.ts";
import { objectRoot, type ArgumentSet } from "./object-root.ts";
import { replacedNames } from "./property-names.ts";
import { SchemaDocument } from "./schema-document.ts";
import { SCHEMA_LIMITS } from "./schema-limits.ts";
import { readSchema } from "./schema-reader.ts";
import { writeSchema } from "./schema-writer.ts";
import type { ToolRules } from "./tool-rules.ts";

/** A tool in a form that its API accepts. */
export interface AdaptedTool {
  readonly definition: ToolDefinition;
  /** From the API's names of arguments to the tool's; undefined if they are the same, as in most tools. */
  readonly toTool: ArgumentNames | undefined;
  readonly toApi: ArgumentNames | undefined;
  /** What people should know about the schema; undefined if it says all that matters. */
  readonly loss: string | undefined;
}

/** Why a tool cannot be offered to a model. */
interface HopelessTool {
  readonly hopeless: string;
}

const OPEN_SCHEMA = JSON.stringify({ type: "object", properties: {} });
/** Of the text about alternative sets of arguments. */
const MAX_SETS_LENGTH = 1_000;

/**
 * Brings a tool into the form that an API accepts, its schema no longer than `maxLength` UTF-16 code units. Whatever the
 * schema is, the result accepts it: what cannot be kept is left open.
 */
export function adaptTool(
  tool: ToolDefinition,
  rules: ToolRules,
  maxLength: number = rules.maxSchemaLength,
): AdaptedTool | HopelessTool {
  const schema = parseJson(tool.parametersSchema);
  const isSchema = isObject(schema) || typeof schema === "boolean";
  const isMissing = tool.parametersSchema.trim() === "" || schema === null;
  const loss = isSchema || isMissing ? undefined : "its schema is no JSON Schema";
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
