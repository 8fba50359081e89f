import { LineCounter } from "yaml";
import type { Environment } from "#shared/agent-config/config-environment.ts";
import type { ConfigProblem, Place } from "#shared/agent-config/config-problem.ts";

/** Variables inserted many times over must not grow a small file without bound. */
const MAX_EXPANDED_CHARS = 2 * 1024 * 1024;

/** One `{{…}}` in the source and what it became; offsets in UTF-16 units. */
interface Insertion {
  readonly sourceStart: number;
  readonly sourceEnd: number;
  readonly start: number;
  readonly end: number;
  readonly variable?: string;
}

/** A file's text after interpolation that still knows where everything stood before. */
export class ExpandedText {
  readonly file: string;
  readonly text: string;
  readonly #source: string;
  readonly #insertions: readonly Insertion[];
  #lines: LineCounter | undefined;

  constructor(file: string, source: string, text: string, insertions: readonly Insertion[]) {
    this.file = file;
    this.#source = source;
    this.text = text;
    this.#insertions = insertions;
  }

  /** Place in the written file of an offset into the expanded text. */
  placeOf(offset: number): Place {
    return this.placeInSource(this.#toSource(offset, "start"));
  }

  /** Place of an offset into the file as written. */
  placeInSource(offset: number): Place {
    this.#lines ??= countLines(this.#source);
    const { line, col } = this.#lines.linePos(offset);
    return { file: this.file, line, column: col };
  }

  /** What stands in the file for a range of the expanded text. */
  writtenAt(start: number, end: number): string {
    return this.#source.slice(this.#toSource(start, "start"), this.#toSource(end, "end"));
  }

  /** The variables inserted into a range of the expanded text, each once. */
  variablesIn(start: number, end: number): string[] {
    const names = new Set<string>();
    for (const insertion of this.#insertions) {
      if (insertion.variable === undefined || insertion.start > end || insertion.end < start) continue;
      names.add(insertion.variable);
    }
    return [...names];
  }

  #toSource(offset: number, side: "start" | "end"): number {
    let shift = 0;
    for (const insertion of this.#insertions) {
      if (offset < insertion.start || (side === "end" && offset === insertion.start)) break;
      if (offset < insertion.end || (side === "end" && offset === insertion.end)) {
        return side === "start" ? insertion.sourceStart : insertion.sourceEnd;
      }
      shift = insertion.sourceEnd - insertion.end;
    }
    return offset + shift;
  }
}

function countLines(source: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = source.indexOf("\n"); at !== -1; at = source.indexOf("\n", at + 1)) lines.addNewLine(at + 1);
  return lines;
}

const ACTION = /^\{\{\s*(?:\.([A-Za-z_]\w*)|"([^"\\\n]*)"|`([^`]*)`)\s*\}\}/u;
const ALLOWED = 'only {{.NAME}} for an environment variable and {{"text"}} for literal text are allowed';

/**
 * Inserts environment variables for `{{.NAME}}`, as text, before the YAML is read; an unset one becomes
 * nothing. `{{"text"}}` stands for its text, so that a literal `{{` can be written. Every other template
 * is an error with its place. Calls `report` for those and returns what could be expanded.
 */
export function expandTemplates(
  file: string,
  source: string,
  env: Environment,
  report: (problem: ConfigProblem) => void,
): ExpandedText {
  const insertions: Insertion[] = [];
  const parts: string[] = [];
  const atSource = (offset: number) => new ExpandedText(file, source, source, []).placeInSource(offset);
  let length = 0;
  let copied = 0;
  const copyTo = (end: number) => {
    parts.push(source.slice(copied, end));
    length += end - copied;
  };
  for (let open = source.indexOf("{{"); open !== -1; open = source.indexOf("{{", copied)) {
    const found = ACTION.exec(source.slice(open, endOfAction(source, open)));
    copyTo(open);
    if (found === null) {
      const written = firstLine(source.slice(open, endOfAction(source, open)));
      report({
        severity: "error",
        ...atSource(open),
        path: "",
        value: written,
        message: `the template ${written} is not understood; ${ALLOWED}`,
      });
      copied = endOfAction(source, open);
      continue;
    }
    const [action, variable, quoted, raw] = found;
    const inserted = variable === undefined ? (quoted ?? raw ?? "") : (env[variable] ?? "");
    const sourceEnd = open + action.length;
    insertions.push({
      sourceStart: open,
      sourceEnd,
      start: length,
      end: length + inserted.length,
      ...(variable === undefined ? {} : { variable }),
    });
    parts.push(inserted);
    length += inserted.length;
    copied = sourceEnd;
    if (length > MAX_EXPANDED_CHARS) {
      report({
        severity: "error",
        ...atSource(open),
        path: "",
        message: `with its variables inserted the file exceeds ${MAX_EXPANDED_CHARS} characters; shorten their values`,
      });
      break;
    }
  }
  copyTo(source.length);
  return new ExpandedText(file, source, parts.join(""), insertions);
}

/** Where the template that begins at `open` ends: after its `}}`, or at the line's end if it has none. */
function endOfAction(source: string, open: number): number {
  const close = source.indexOf("}}", open + 2);
  const lineEnd = source.indexOf("\n", open);
  const end = close === -1 ? source.length : close + 2;
  const spansText =
    close === -1 ||
    source
      .slice(open + 2, close)
      .trim()
      .includes("\n");
  return spansText && lineEnd !== -1 ? Math.min(end, lineEnd) : end;
}

function firstLine(text: string): string {
  const line = text.split("\n", 1)[0] ?? "";
  return line.length > 60 ? `${line.slice(0, 60)}…` : line;
}
