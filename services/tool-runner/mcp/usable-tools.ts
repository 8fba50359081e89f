import { isEmptyList, objectOr } from "./readable-messages.ts";
import { isObject } from "#shared/exact-json.ts";

/** The key of the reasons for which tools were left out, in `_meta` of a page. */
const LEFT_OUT_KEY = "tarsy/left-out";

/** The definitions of one server's tools have so many bytes at most. */
export const MAX_BYTES = 512 * 1024;
/** Deeper schemas cost the runner seconds, and no provider takes them. */
const MAX_LEVELS = 100;
const MAX_NAME_CHARS = 80;
const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

/** The reasons for which tools of a page were left out. */
export function leftOutOf(page: object): string[] {
  const meta: unknown = Reflect.get(page, "_meta");
  const reasons = isObject(meta) ? meta[LEFT_OUT_KEY] : undefined;
  return Array.isArray(reasons) ? reasons.map(String) : [];
}

/**
 * A page of a listing without the tools that are malformed; `_meta` says which these are and why. Of the others only what is
 * used is kept, so that nothing else can be malformed: a missing schema allows any arguments, and one without `type` is
 * that of an object.
 */
export function usableTools(page: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { tools, _meta: meta, nextCursor, ttlMs, cacheScope, resultType } = page;
  const usable: object[] = [];
  const leftOut: string[] = [];
  for (const [index, tool] of (Array.isArray(tools) ? tools : []).entries()) {
    const read = readTool(tool, index);
    if (typeof read === "string") leftOut.push(read);
    else usable.push(read);
  }
  return {
    ...(typeof resultType === "string" ? { resultType } : {}),
    // A server whose list is no list has said nothing of its tools.
    tools: Array.isArray(tools) || tools === null ? usable : tools,
    ...(typeof nextCursor === "string" && nextCursor !== "" ? { nextCursor } : {}),
    ...(typeof ttlMs === "number" ? { ttlMs } : {}),
    ...(typeof cacheScope === "string" ? { cacheScope } : {}),
    _meta: { ...objectOr(meta), ...(leftOut.length > 0 ? { [LEFT_OUT_KEY]: leftOut } : {}) },
  };
}

/** The tool, or why it cannot be used. */
function readTool(tool: unknown, index: number): object | string {
  if (!isObject(tool)) return `tool ${index + 1} is not an object`;
  const { name, title, description, inputSchema, annotations } = tool;
  if (typeof name !== "string") return `tool ${index + 1} has no name`;
  const left = (why: string) => `${JSON.stringify(name.slice(0, MAX_NAME_CHARS))}: ${why}`;
  const isText = description === undefined || description === null || typeof description === "string";
  if (!isText) return left("its description is not a text");
  const schema = isEmptyList(inputSchema) ? {} : (inputSchema ?? {});
  if (!isObject(schema)) return left("its inputSchema is not an object");
  if (isDeeper(schema, MAX_LEVELS)) return left(`its inputSchema has more than ${MAX_LEVELS} levels`);
  if (Buffer.byteLength(JSON.stringify(tool)) > MAX_BYTES) return left("its definition is too large");
  const types = [schema["type"] ?? "object"].flat();
  if (!types.includes("object")) return left('its inputSchema has another type than "object"');
  return {
    name,
    ...(typeof title === "string" ? { title } : {}),
    ...(typeof description === "string" ? { description } : {}),
    inputSchema: { ...objectOr(usableSchema(schema)), type: "object" },
    ...(isObject(annotations) ? { annotations: readAnnotations(annotations) } : {}),
  };
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** Keywords whose value is one that arguments may have, `null` included. */
const VALUES = new Set(["default", "const", "enum", "examples", "example"]);
/** Keywords with schemas by name. */
const MAPS = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

/** A schema without keywords that are `null`; an empty list in the place of schemas by name stands for none. */
function usableSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(usableSchema);
  if (!isObject(schema)) return schema;
  const members = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (VALUES.has(keyword) && !(keyword === "enum" && value === null)) return [[keyword, value]];
    if (value === null) return [];
    if (!MAPS.has(keyword)) return [[keyword, usableSchema(value)]];
    if (isEmptyList(value)) return [[keyword, {}]];
    if (!isObject(value)) return [[keyword, value]];
    const named = Object.entries(value).map(([name, one]) => [name, usableSchema(one ?? {})] as const);
    return [[keyword, Object.fromEntries(named)]];
  });
  return Object.fromEntries(members);
}

function readAnnotations(annotations: Record<string, unknown>): object {
  const hints = HINTS.filter((hint) => typeof annotations[hint] === "boolean").map(
    (hint) => [hint, annotations[hint]] as const,
  );
  const { title } = annotations;
  return { ...(typeof title === "string" ? { title } : {}), ...Object.fromEntries(hints) };
}
