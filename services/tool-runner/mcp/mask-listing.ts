import { isHarmlessValue, secretNameKind } from "#shared/masking/secret-names.ts";
import type { ListedTool } from "./list-tools.ts";

/** Masks a text for models and logs; rejects if that fails. */
export type MaskText = (text: string) => Promise<string>;

const WITHHELD = "[withheld: masking failed]";
/** Keywords of a schema whose value is one that the property may have. */
const VALUES = new Set(["default", "const", "examples", "example"]);

/** Masks a text; one whose masking fails is replaced by a remark. */
export async function maskedOrWithheld(text: string, mask: MaskText): Promise<string> {
  return text === "" ? "" : mask(text).catch(() => WITHHELD);
}

/**
 * Listed tools as models may see them. Names, and the hashes of what the server really said, stay as they are. One text
 * after the other: a long list must not fill the queue of the masking.
 */
export async function maskListing(tools: readonly ListedTool[], mask: MaskText): Promise<ListedTool[]> {
  const masked: ListedTool[] = [];
  for (const tool of tools) {
    masked.push({
      ...tool,
      title: tool.title === undefined ? undefined : await maskedOrWithheld(tool.title, mask),
      description: await maskedOrWithheld(tool.description, mask),
      schema: JSON.stringify(await maskSchema(JSON.parse(tool.schema), mask)),
    });
  }
  return masked;
}

/** Masks each text of a schema by itself, so that it stays a schema; `property` is the name of what it describes. */
async function maskSchema(schema: unknown, mask: MaskText, property = "", keyword = ""): Promise<unknown> {
  if (typeof schema === "string") {
    const kind = VALUES.has(keyword) ? secretNameKind(property) : undefined;
    if (kind !== undefined && !isHarmlessValue(schema, kind)) return `[MASKED_${kind}]`;
    return maskedOrWithheld(schema, mask);
  }
  if (typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema)) {
    const items: unknown[] = [];
    for (const item of schema) items.push(await maskSchema(item, mask, property, keyword));
    return items;
  }
  const members: [string, unknown][] = [];
  for (const [name, value] of Object.entries(schema)) {
    const isProperty = keyword === "properties";
    members.push([name, await maskSchema(value, mask, isProperty ? name : property, isProperty ? "" : name)]);
  }
  // Keeps `__proto__` as an ordinary name.
  return Object.fromEntries(members);
}
