import { Composer, Lexer, Parser } from "yaml";
import { isJsonObject, toJsonValue } from "./json-input.ts";

/** The parser's time grows faster than linearly with the tokens. Real inputs have far fewer. */
const MAX_TOKENS = 20_000;
const MAX_LENGTH = 256 * 1024;
/** The most values that aliases may expand to, so that a short text cannot become a huge one. */
const MAX_ALIASES = 10;

/**
 * Parses a YAML map that `key: value` lines cannot express: one with a list or a map as a value, or one in braces.
 * Returns undefined for any other text.
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
