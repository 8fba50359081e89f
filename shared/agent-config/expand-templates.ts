import { LineCounter } from "yaml";
import { type Environment, secretVariable } from "#shared/service/environment.ts";
import type { ConfigProblem, FilePosition } from "#shared/agent-config/config-problem.ts";

/** A valid template, or else everything up to its `}}` or to the end of its line. */
const TEMPLATE =
  /\{\{(?:\s*(?:\.(?<variable>[A-Za-z_]\w*)|"(?<quoted>[^"\\\n]*)"|`(?<raw>[^`]*)`)\s*\}\}|.*?\}\}|.*)/gu;
const ALLOWED = 'only {{.NAME}} for an environment variable and {{"text"}} for literal text are allowed';

/** Stands for an execution's id in the headers of an MCP server, so it is no variable of the environment. */
const LEFT = "SESSION_ID";

/** Replaces an invalid template: a plain word is valid YAML in every context. */
const PLACEHOLDER = "_";

/**
 * Replaces `{{.NAME}}` by the environment variable's text before the YAML is parsed; an unset variable inserts
 * nothing. `{{"text"}}` inserts its text, so that a literal `{{` can be written. Reports every other template
 * as an error (but leaves `{{.SESSION_ID}}`), and each unset variable once as a warning unless it is in a comment. `read` looks a variable up.
 */
export function expandTemplates(
  file: string,
  source: string,
  env: Environment,
  report: (problem: ConfigProblem) => void,
  read = secretVariable,
): ExpandedText {
  const insertions: Insertion[] = [];
  const problems: { offset: number; severity: ConfigProblem["severity"]; message: string }[] = [];
  const unset = new Set<string>();
  let text = "";
  let copied = 0;
  for (const { 0: written, index: offset, groups = {} } of source.matchAll(TEMPLATE)) {
    const { variable, quoted, raw } = groups;
    const isLeft = variable === LEFT;
    const inserted = isLeft ? written : variable === undefined ? (quoted ?? raw) : read(env, variable);
    text += source.slice(copied, offset);
    const start = text.length;
    text += inserted ?? PLACEHOLDER;
    copied = offset + written.length;
    insertions.push({
      sourceStart: offset,
      sourceEnd: copied,
      start,
      end: text.length,
      broken: inserted === undefined,
      ...(variable === undefined || isLeft ? {} : { variable }),
    });
    if (inserted === undefined) {
      const message = `the template ${shorten(written)} is not understood; ${ALLOWED}`;
      problems.push({ offset, severity: "error", message });
    } else if (variable !== undefined && inserted === "" && !unset.has(variable)) {
      if (isInComment(source, offset)) continue;
      unset.add(variable);
      const message = `${variable} is not set, so {{.${variable}}} inserts nothing`;
      problems.push({ offset, severity: "warning", message });
    }
  }
  text += source.slice(copied);
  const expanded = new ExpandedText(file, source, text, insertions);
  for (const { offset, severity, message } of problems) {
    report({ severity, ...expanded.positionInSource(offset), path: "", message });
  }
  return expanded;
}

function isInComment(source: string, offset: number): boolean {
  return /^\s*#/u.test(source.slice(source.lastIndexOf("\n", offset) + 1, offset));
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** One `{{…}}` of the source and the text that replaced it; offsets in code units. */
interface Insertion {
  readonly sourceStart: number;
  readonly sourceEnd: number;
  readonly start: number;
  readonly end: number;
  /** Absent for literal text. */
  readonly variable?: string;
  /** The template is invalid and has been reported; a placeholder replaced it. */
  readonly broken: boolean;
}

/** The insertions in a part of a file. */
export interface InsertedVariables {
  /** Each variable once. */
  readonly variables: readonly string[];
  /** One of the templates is invalid and has been reported. */
  readonly broken: boolean;
}

/** A file's text with its templates expanded, and the position in the file as written of each offset. */
export class ExpandedText {
  readonly file: string;
  readonly text: string;
  readonly #source: string;
  readonly #insertions: readonly Insertion[];
  readonly #lines = new LineCounter();

  constructor(file: string, source: string, text: string, insertions: readonly Insertion[]) {
    this.file = file;
    this.text = text;
    this.#source = source;
    this.#insertions = insertions;
    this.#lines.addNewLine(0);
    for (const { index } of source.matchAll(/\n/gu)) this.#lines.addNewLine(index + 1);
  }

  /** The position of an offset into the expanded text. */
  positionOf(offset: number): FilePosition {
    return this.positionInSource(this.#toSource(offset, "start"));
  }

  /** The position of an offset into the file as written. */
  positionInSource(offset: number): FilePosition {
    const { line, col } = this.#lines.linePos(offset);
    return { file: this.file, line, column: col };
  }

  /** The file's own text for a range of the expanded text. */
  writtenAt(start: number, end: number): string {
    return this.#source.slice(this.#toSource(start, "start"), this.#toSource(end, "end"));
  }

  /** The insertions in a range of the expanded text. */
  insertedAt(start: number, end: number): InsertedVariables {
    return summary(this.#insertions.filter((insertion) => insertion.start <= end && insertion.end >= start));
  }

  /** The insertions in a line of the file as written. */
  insertedOnLine(line: number): InsertedVariables {
    return summary(
      this.#insertions.filter(({ sourceStart }) => this.positionInSource(sourceStart).line === line),
    );
  }

  /** `side` chooses the end of the template at the edge of an insertion. */
  #toSource(offset: number, side: "start" | "end"): number {
    let shift = 0;
    for (const { start, end, sourceStart, sourceEnd } of this.#insertions) {
      if (offset < start || (side === "end" && offset === start)) {
        return start === end && offset === start ? sourceEnd : offset + shift;
      }
      if (offset < end || (side === "end" && offset === end)) {
        return side === "start" ? sourceStart : sourceEnd;
      }
      shift = sourceEnd - end;
    }
    return offset + shift;
  }
}

function summary(insertions: readonly Insertion[]): InsertedVariables {
  const variables = insertions.flatMap(({ variable }) => variable ?? []);
  return { variables: [...new Set(variables)], broken: insertions.some(({ broken }) => broken) };
}
