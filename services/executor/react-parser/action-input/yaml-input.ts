import { Composer, Lexer, Parser } from "yaml";
import { isJsonObject, toJsonValue } from "./json-input.ts";

/** The parser's time grows with tokens, and more than linearly; no honest input has this many. */
const MAX_TOKENS = 20_000;
const MAX_LENGTH = 256 * 1024;
/** Values that aliases may stand for: a few, so that a short text cannot expand into a huge one. */
const MAX_ALIASES = 10;

/**
 * The map that a YAML text is, if it says more than `key: value` lines do: if some value is a list or a map, or if it
 * is written in braces. Undefined for any other text.
 */
export function parseYamlInput(text: string): Record<string, unknown> | undefined {
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
    // The text is hostile or no YAML; either way it is not a map, and the next form is tried.
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
 * Trimming an indented block takes the first line's indentation only: takes as much from the others. Undefined where
 * some line has none.
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
