import type { ResultToolName } from "../../controllers/built-in-tools.ts";
import type { TextQuery } from "./query-text.ts";

/** The question that a call of a built-in tool asks, or for the model what is wrong with its arguments. */
type ReadQuery = { readonly id: string; readonly query: TextQuery } | { readonly problem: string };

const DEFAULT_LINES = 200;
const MAX_CONTEXT = 20;
const MAX_PATTERN_CHARS = 1_000;
const MAX_PATH_CHARS = 2_000;

/** Reads the arguments of a call of a built-in tool; numbers and booleans may be written as text, as ReAct agents do. */
export function readQuery(name: ResultToolName, parameters: Readonly<Record<string, unknown>>): ReadQuery {
  const id = textOf(parameters["id"]);
  if (id === "") {
    return { problem: 'The argument "id" is missing: it stands in the shown part of the result.' };
  }
  const query = queries[name](parameters);
  return typeof query === "string" ? { problem: query } : { id, query };
}

const queries: Readonly<
  Record<ResultToolName, (parameters: Readonly<Record<string, unknown>>) => TextQuery | string>
> = {
  result_read: (parameters) => {
    const fromLine = integerOf(parameters["from_line"], 1);
    const lines = integerOf(parameters["lines"], DEFAULT_LINES);
    if (fromLine === null || fromLine < 1) return 'The argument "from_line" must be a whole number from 1.';
    if (lines === null || lines < 1) return 'The argument "lines" must be a whole number from 1.';
    return { kind: "read", fromLine, lines };
  },
  result_search: (parameters) => {
    const pattern = textOf(parameters["pattern"]);
    const context = integerOf(parameters["context"], 0);
    const { regex } = parameters;
    if (pattern === "") return 'The argument "pattern" is missing: the text to find.';
    if (pattern.length > MAX_PATTERN_CHARS) {
      return `The argument "pattern" may have ${MAX_PATTERN_CHARS} characters at most.`;
    }
    if (context === null || context < 0 || context > MAX_CONTEXT) {
      return `The argument "context" must be a whole number from 0 to ${MAX_CONTEXT}.`;
    }
    return { kind: "search", pattern, isRegex: regex === true || regex === "true", context };
  },
  result_json: (parameters) => {
    const path = textOf(parameters["path"]);
    return path.length > MAX_PATH_CHARS
      ? `The argument "path" may have ${MAX_PATH_CHARS} characters at most.`
      : { kind: "json", path };
  },
};

/** An argument as text; empty for one that is missing or is none. A model may write a text as a number or a boolean. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** An argument as a whole number, which may be written as text, as ReAct agents do; null for anything but a safe integer. */
export function integerOf(value: unknown, absent: number): number | null {
  if (value === undefined || value === null || value === "") return absent;
  const number = typeof value === "string" ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) ? number : null;
}
