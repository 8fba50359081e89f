import { parseJson } from "../parse-json.ts";
import { isObject } from "#shared/exact-json.ts";

/** A JSON string may hold JSON; a model does this once, its proxy once more. */
const MAX_ENCODINGS = 3;

/**
 * The arguments of a call as the text of one JSON object, all digits kept; undefined if they have no meaning, or several. Servers and
 * models send nothing or `null` for no arguments, an empty list, an empty object before the real one, the object twice, alone in a list, as a JSON string, or within
 * a sentence or a fence.
 */
export function wholeArguments(text: string, encodings = 0): string | undefined {
  const json = text.trim();
  if (json === "" || json === "null") return "{}";
  const value = parseJson(json);
  if (isObject(value)) return json;
  if (typeof value === "string") {
    return encodings < MAX_ENCODINGS ? wholeArguments(value, encodings + 1) : undefined;
  }
  if (Array.isArray(value)) {
    // PHP writes an empty object so, and some models a list of the one object.
    return value.length === 0
      ? "{}"
      : value.length === 1 && isObject(value[0])
        ? onlyObject(json)
        : undefined;
  }
  return value === undefined ? (onlyObject(json) ?? onlyObject(withEscapes(json))) : undefined;
}

const STRING = /"(?:[^"\\]|\\.)*"/gsu;

/** Gives the control characters in strings, which models write as they are, the form that JSON wants. */
function withEscapes(json: string): string {
  return json.replaceAll(STRING, (string) =>
    string.replaceAll(/\p{Cc}/gu, (sign) => JSON.stringify(sign).slice(1, -1)),
  );
}

/** The one object in a text; undefined if it has none, several different ones, or a part of one. */
function onlyObject(text: string): string | undefined {
  const objects = new Map<string, string>();
  for (const object of objectsIn(text)) {
    const value = object === undefined ? undefined : parseJson(object);
    if (object === undefined || value === undefined) return undefined;
    objects.set(JSON.stringify(value), object);
  }
  if (objects.size > 1) objects.delete("{}");
  const [only, ...others] = objects.values();
  return others.length === 0 ? only : undefined;
}

const NEXT_BRACE = /[{}]/gu;
const NEXT_SIGN = /["{}]/gu;
const STRING_END = /[^"\\]*(?:\\.[^"\\]*)*"/suy;

/** The texts between balanced braces, outermost first; undefined for a brace without its other one. */
export function* objectsIn(text: string): Generator<string | undefined> {
  let at = 0;
  for (;;) {
    const start = next(NEXT_BRACE, text, at);
    if (start === undefined) return;
    const end = text[start] === "{" ? endOf(text, start) : undefined;
    yield end === undefined ? undefined : text.slice(start, end);
    if (end === undefined) return;
    at = end;
  }
}

/** The offset at which the object that begins at `start` ends; undefined if it does not. */
function endOf(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at: number | undefined = start; at !== undefined; at = next(NEXT_SIGN, text, at)) {
    if (text[at] === '"') {
      STRING_END.lastIndex = at + 1;
      if (!STRING_END.test(text)) return undefined;
      at = STRING_END.lastIndex;
      continue;
    }
    depth += text[at] === "{" ? 1 : -1;
    at += 1;
    if (depth === 0) return at;
  }
  return undefined;
}

function next(sign: RegExp, text: string, from: number): number | undefined {
  sign.lastIndex = from;
  return sign.exec(text)?.index;
}
