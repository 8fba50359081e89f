import { RE2JS, type RE2JS as Expression } from "re2js";
import { TerminalError, errorMessage } from "#shared/errors.ts";
import type { MaskContext } from "#shared/masking/mask-context.ts";

/** A pattern of the configuration. */
export interface CustomPattern {
  /** The syntax is that of RE2, as in Go: without look-around and back-references. */
  readonly pattern: string;
  /** May name groups: `$1`, `${name}`. */
  readonly replacement: string;
}

/** A compiled pattern. */
export interface CompiledPattern {
  readonly expression: Expression;
  readonly replacement: string;
}

/** A longer text is searched piece by piece, which end where lines end. */
const PIECE = 64 * 1024;
/** A line is never split if it is shorter. */
const MAX_LINE = 192 * 1024;

/** Compiles a pattern. Throws TerminalError `invalid_pattern` with what is wrong with it. */
export function compilePattern({ pattern, replacement }: CustomPattern): CompiledPattern {
  try {
    return { expression: RE2JS.compile(pattern), replacement };
  } catch (error) {
    // The whole pattern is in the report anyway.
    const reason = errorMessage(error)
      .replace(/^error parsing regexp: /u, "")
      .replace(`: \`${pattern}\``, "");
    throw new TerminalError("invalid_pattern", reason, { cause: error });
  }
}

/** Replaces all matches of the patterns, one pattern after the other. Linear in the text for every pattern. */
export function maskCustom(text: string, patterns: readonly CompiledPattern[], context: MaskContext): string {
  if (patterns.length === 0) return text;
  return pieces(text)
    .map((piece) => patterns.reduce((left, pattern) => replaceIn(left, pattern, context), piece))
    .join("");
}

function replaceIn(text: string, { expression, replacement }: CompiledPattern, context: MaskContext): string {
  context.progress();
  // The test without groups is a single pass of a finite automaton, which most pieces end with.
  if (!expression.test(text)) return text;
  context.count("CUSTOM");
  return expression.matcher(text).replaceAll(replacement);
}

function pieces(text: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length;) {
    const feed = text.length - at <= PIECE ? -1 : text.indexOf("\n", at + PIECE);
    const end = feed === -1 ? text.length : feed + 1;
    const limit = Math.min(end, at + MAX_LINE);
    found.push(text.slice(at, limit));
    at = limit;
  }
  return found;
}
