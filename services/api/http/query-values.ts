import { isRfc3339, TIME_FORM } from "#shared/contracts/parse-instant.ts";
import { abbreviate, validationError } from "./request-error.ts";

type QueryValue = string | string[] | undefined;

/** A text that may be given once; an empty one counts as absent. Throws RequestError 400. */
export function parseText(field: string, value: QueryValue): string | undefined {
  if (Array.isArray(value)) throw validationError(field, "must be given once");
  return value === "" ? undefined : value;
}

/** One of a few values; undefined if absent. Throws RequestError 400 with those that are allowed. */
export function parseChoice<const T extends string>(
  field: string,
  value: QueryValue,
  allowed: readonly T[],
): T | undefined {
  const text = parseText(field, value);
  return text === undefined ? undefined : choiceOf(field, text, allowed);
}

/** The same for a list with commas, which may be given several times; undefined if empty. */
export function parseChoices<const T extends string>(
  field: string,
  value: QueryValue,
  allowed: readonly T[],
): readonly T[] | undefined {
  const texts = [value ?? []].flat().flatMap((text) => text.split(","));
  const given = texts.map((text) => text.trim()).filter((text) => text !== "");
  return given.length === 0 ? undefined : [...new Set(given.map((text) => choiceOf(field, text, allowed)))];
}

function choiceOf<const T extends string>(field: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((choice) => choice === text);
  if (found !== undefined) return found;
  throw validationError(field, `'${abbreviate(text)}' is not one of ${allowed.join(", ")}`, allowed);
}

/** A time in RFC 3339, as Postgres reads it; undefined if absent. Throws RequestError 400. */
export function parseTime(field: string, value: QueryValue): string | undefined {
  // A plus sign that was not escaped arrives as a space.
  const text = parseText(field, value)?.replace(/ (?=\d{2}:\d{2}$)/u, "+");
  if (text === undefined) return undefined;
  if (isRfc3339(text)) return text;
  throw validationError(field, `must be ${TIME_FORM}`);
}
