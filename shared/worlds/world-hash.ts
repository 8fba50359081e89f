import { createHash } from "node:crypto";
import { isJsonObject } from "#shared/json-object.ts";
import type { World } from "./world-format.ts";

/** SHA-256 of a world as compact JSON with sorted members, in hexadecimal. */
export function worldHash(world: World): string {
  return sha256(compactJson(world));
}

/** SHA-256 of a text in UTF-8, in hexadecimal. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** JSON without white space, members sorted by code unit. Characters beyond ASCII are not escaped. */
export function compactJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(compactJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  // Not an object with sorted members: JavaScript puts names that are numbers first.
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${compactJson(member)}`);
  return `{${members.join(",")}}`;
}
