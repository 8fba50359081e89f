import { errorMessage } from "#shared/errors.ts";
import { parseExactJson } from "#shared/exact-json.ts";

const FENCED = /^(`{3,}|~{3,})[\w+.-]{0,40}\s([\s\S]*?)\s*\1$/u;
/** The number of times that JSON may be the text of JSON. */
const MAX_ENCODED = 3;

/**
 * The arguments of a call as an object; a text for the model if they are none. No text at all and `null` stand for no arguments. What
 * can only mean one object is read as that: in a code block, encoded as a text, after empty objects, or written twice.
 */
export function parseArguments(text: string): Record<string, unknown> | string {
  const written = text.trim();
  if (written === "") return {};
  const body = FENCED.exec(written)?.[2] ?? written;
  let value: unknown;
  try {
    value = parseExactJson(onlyValue(body) ?? body);
    for (let level = 1; level <= MAX_ENCODED && typeof value === "string"; level += 1) {
      value = parseExactJson(value);
    }
  } catch (error) {
    return `The arguments are not valid JSON: ${errorMessage(error)}`;
  }
  if (value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) return "The arguments must be a JSON object.";
  return { ...value };
}

/** The only one of objects in a row that is not empty, or the last one if all are; undefined if they differ, or are none. */
function onlyValue(text: string): string | undefined {
  const objects = objectsInRow(text);
  const full = new Set(objects.filter((one) => !/^\{\s*\}$/u.test(one)));
  return full.size > 1 ? undefined : ([...full][0] ?? objects.at(-1));
}

/** The objects of which a text consists, with nothing but white space between them; none if it has anything else. */
function objectsInRow(text: string): string[] {
  const objects: string[] = [];
  let depth = 0;
  let start = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (isInString) {
      if (character === "\\") at += 1;
      else if (character === '"') isInString = false;
    } else if (depth === 0 && character !== "{") {
      if (character.trim() !== "") return [];
      start = at + 1;
    } else if (character === '"') isInString = true;
    else if (character === "{") depth += 1;
    else if (character === "}") {
      depth -= 1;
      if (depth === 0) {
        objects.push(text.slice(start, at + 1));
        start = at + 1;
      }
    }
  }
  return depth === 0 ? objects : [];
}
