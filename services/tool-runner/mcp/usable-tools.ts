/** The key of the reasons for which tools were left out, in `_meta` of a page. */
export const LEFT_OUT_KEY = "tarsy/left-out";

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
export function usableTools(result: object): Record<string, unknown> {
  const members: Record<string, unknown> = { ...result };
  const { tools, _meta: meta } = members;
  if (!Array.isArray(tools)) return members;
  const usable: object[] = [];
  const leftOut: string[] = [];
  for (const [index, tool] of tools.entries()) {
    const read = readTool(tool, index);
    if (typeof read === "string") leftOut.push(read);
    else usable.push(read);
  }
  members["tools"] = usable;
  if (leftOut.length > 0) members["_meta"] = { ...(isObject(meta) ? meta : {}), [LEFT_OUT_KEY]: leftOut };
  return members;
}

/** The tool, or why it cannot be used. */
function readTool(tool: unknown, index: number): object | string {
  if (!isObject(tool)) return `tool ${index + 1} is no object`;
  const { name, title, description, inputSchema = {}, annotations } = tool;
  if (typeof name !== "string") return `tool ${index + 1} has no name`;
  const left = (why: string) => `${JSON.stringify(name.slice(0, MAX_NAME_CHARS))}: ${why}`;
  const isText = description === undefined || description === null || typeof description === "string";
  if (!isText) return left("its description is no text");
  const schema = inputSchema ?? {};
  if (!isObject(schema)) return left("its inputSchema is no object");
  const { type = "object" } = schema;
  if (type !== "object") return left('its inputSchema has another type than "object"');
  return {
    name,
    ...(typeof title === "string" ? { title } : {}),
    ...(typeof description === "string" ? { description } : {}),
    inputSchema: { ...schema, type },
    ...(isObject(annotations) ? { annotations: readAnnotations(annotations) } : {}),
  };
}

function readAnnotations(annotations: Record<string, unknown>): object {
  const hints = HINTS.filter((hint) => typeof annotations[hint] === "boolean").map(
    (hint) => [hint, annotations[hint]] as const,
  );
  const { title } = annotations;
  return { ...(typeof title === "string" ? { title } : {}), ...Object.fromEntries(hints) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
