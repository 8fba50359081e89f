import { postgresSafeValue } from "#shared/postgres-safe-value.ts";
import { stripFence } from "./code-fence.ts";
import { isExactNumber, parseExactJson } from "#shared/exact-json.ts";
import { isJsonObject } from "#shared/json-object.ts";
import { Composer, Lexer, Parser } from "yaml";

/**
 * Parses the raw input of an action into a tool's parameters. Tries JSON, then nested YAML, then `key: value` pairs;
 * any other text becomes the value of `input`, as does JSON that is not an object. An empty input is `{}`.
 * Returns a plain object that jsonb can represent, at most 200 levels deep: an escape sequence may stand for a character
 * that Postgres refuses, which becomes U+FFFD. Never throws.
 */
export function parseActionInput(raw: string): Record<string, unknown> {
  const safe = postgresSafeValue(parse(raw));
  return isJsonObject(safe) ? safe : {};
}

function parse(raw: string): Record<string, unknown> {
  const text = stripFence(raw.trim());
  if (text === "") return {};
  const json = parseJsonInput(text);
  if (json !== undefined) return isJsonObject(json.value) ? json.value : { input: json.value };
  return parseYamlInput(text) ?? parseKeyValueInput(text) ?? { input: text };
}

/** Serialising deeper values overflows the stack. Real inputs are far shallower. */
const MAX_DEPTH = 200;

/** The value of a JSON text; undefined if it is not JSON or is nested more than 200 levels deep. */
function parseJsonInput(text: string): { value: unknown } | undefined {
  if (!isShallow(text)) return undefined;
  try {
    return { value: toJsonValue(parseExactJson(text)) };
  } catch {
    return undefined;
  }
}

/**
 * Copies a parsed value into one that JSON can represent: numbers that are not finite become text, and values without
 * a JSON form become null. Numbers that a double cannot hold stay exact, or become text if Postgres cannot hold them either. Throws a RangeError if the value is nested more than 200 levels deep.
 */
function toJsonValue(value: unknown, depth = 0): unknown {
  if (isExactNumber(value)) return isStorable(value.rawJSON) ? value : value.rawJSON;
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value !== "object") return null;
  if (depth >= MAX_DEPTH) throw new RangeError(`the input is nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) return value.map((item) => toJsonValue(item, depth + 1));
  // fromEntries keeps __proto__ as an ordinary key.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJsonValue(item, depth + 1)]));
}

/** Whether a number is in the range of Postgres' `numeric`, with room to spare. */
function isStorable(number: string): boolean {
  const power = Number(/[eE](.+)$/u.exec(number)?.[1] ?? 0);
  return number.length + Math.abs(power) <= 10_000;
}

/** Counts brackets outside strings before parsing: deeper text could exhaust the stack of the parser. */
function isShallow(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (inString) {
      if (unit === 0x5c) at += 1;
      else if (unit === 0x22) inString = false;
    } else if (unit === 0x22) inString = true;
    else if (unit === 0x7b || unit === 0x5b) {
      depth += 1;
      if (depth > MAX_DEPTH) return false;
    } else if (unit === 0x7d || unit === 0x5d) depth -= 1;
  }
  return true;
}

/** The parser's time grows faster than linearly with the tokens. Real inputs have far fewer. */
const MAX_TOKENS = 20_000;
const MAX_LENGTH = 256 * 1024;
/** The most values that aliases may expand to, so that a short text cannot become a huge one. */
const MAX_ALIASES = 10;

/**
 * Parses a YAML map that `key: value` lines cannot express: one with a list or a map as a value, or one in braces.
 * Returns undefined for any other text.
 */
function parseYamlInput(text: string): Record<string, unknown> | undefined {
  return parseMap(text) ?? parseMap(realign(text));
}

function parseMap(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined || text.length > MAX_LENGTH) return undefined;
  try {
    const composer = new Composer({ uniqueKeys: false, prettyErrors: false, logLevel: "silent" });
    const [document, second] = [...composer.compose(boundedTokens(text), false, text.length)];
    if (document === undefined || second !== undefined || document.errors.length > 0) return undefined;
    const map = toJsonValue(document.toJS({ maxAliasCount: MAX_ALIASES }));
    if (!isJsonObject(map)) return undefined;
    const isNested = Object.values(map).some((value) => typeof value === "object" && value !== null);
    return isNested || text.startsWith("{") ? map : undefined;
  } catch {
    // The text is not YAML or exceeds a limit; the caller tries the next form.
    return undefined;
  }
}

function* boundedTokens(text: string) {
  const parser = new Parser();
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    count += 1;
    if (count > MAX_TOKENS) throw new RangeError(`more than ${MAX_TOKENS} YAML tokens`);
    yield* parser.next(lexeme);
  }
  yield* parser.end();
}

/**
 * Trimming an indented block removes only the first line's indentation. Removes the smallest indentation of the other
 * lines from them; undefined if there are none or one is not indented.
 */
function realign(text: string): string | undefined {
  const [first = "", ...rest] = text.split("\n");
  let indent = Infinity;
  for (const line of rest) {
    if (line.trim() !== "") indent = Math.min(indent, line.length - line.trimStart().length);
  }
  if (indent === Infinity || indent === 0) return undefined;
  return [first, ...rest.map((line) => line.slice(indent))].join("\n");
}

const INTEGER = /^[+-]?\d{1,17}$/u;
const FLOAT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?$/u;
/** Longer numbers stay text. */
const MAX_NUMBER_LENGTH = 400;

/**
 * Parses `key: value` or `key=value` pairs, separated by line breaks or commas. Returns undefined unless every part is
 * a pair whose key is not empty and has no whitespace, and for broken JSON, whose braces would become part of a key.
 */
function parseKeyValueInput(text: string): Record<string, unknown> | undefined {
  if (text.startsWith("{") || text.startsWith("[")) return undefined;
  const pairs: [string, unknown][] = [];
  for (const part of text.split(/[\n,]/u)) {
    const trimmed = part.trim();
    if (trimmed === "") continue;
    const colon = trimmed.indexOf(":");
    const at = colon === -1 ? trimmed.indexOf("=") : colon;
    const key = unquote(trimmed.slice(0, Math.max(at, 0)).trim());
    if (key === "" || /\s/u.test(key)) return undefined;
    pairs.push([key, coerce(trimmed.slice(at + 1).trim())]);
  }
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

/** The value of a text: true, false, null, a number, or the text without the quotes around it. */
function coerce(text: string): unknown {
  const unquoted = unquote(text);
  if (unquoted !== text) return unquoted;
  switch (text.length > 5 ? "" : text.toLowerCase()) {
    case "true":
      return true;
    case "false":
      return false;
    case "null":
    case "none":
      return null;
    default:
      return coerceNumber(text);
  }
}

function unquote(text: string): string {
  const quote = text.charAt(0);
  const isQuoted = text.length > 1 && (quote === '"' || quote === "'") && text.endsWith(quote);
  return isQuoted ? text.slice(1, -1) : text;
}

function coerceNumber(text: string): unknown {
  if (text.length > MAX_NUMBER_LENGTH) return text;
  const value = Number(text);
  // Number("") is 0; an integer that a double cannot represent would be rounded.
  if (INTEGER.test(text)) return Number.isSafeInteger(value) ? value : text;
  return FLOAT.test(text) && /[.eE]/u.test(text) && Number.isFinite(value) ? value : text;
}
