import { TerminalError } from "#shared/errors.ts";

/** A position in a file as written, before templates are expanded. Lines and columns count from 1. */
export interface FilePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One error or warning about the configuration files. */
export interface ConfigProblem extends FilePosition {
  readonly severity: "error" | "warning";
  /** Such as `agent_chains.k8s.stages[0].agents[1].name`; empty for the file as a whole. */
  readonly path: string;
  /** The problem, the rule and the remedy: one sentence without a full stop. */
  readonly message: string;
}

/** The problem as one line: `file:line:column: path: message`. */
export function formatProblem(problem: ConfigProblem): string {
  const position = `${problem.file}:${problem.line}:${problem.column}`;
  const path = problem.path === "" ? "" : `${problem.path}: `;
  return `${position}: ${problem.severity === "warning" ? "warning: " : ""}${path}${problem.message}`;
}

/** The files cannot be used. The message is the whole report, one line per error. */
export class AgentConfigError extends TerminalError {
  /** Every error, sorted by file and position. */
  readonly problems: readonly ConfigProblem[];
  /** The warnings that a valid configuration would carry. */
  readonly warnings: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[], warnings: readonly ConfigProblem[] = []) {
    const count = problems.length === 1 ? "1 error" : `${problems.length} errors`;
    const lines = problems.map((problem) => `  ${formatProblem(problem)}`);
    super("invalid_configuration", [`the configuration cannot be used: ${count}`, ...lines].join("\n"));
    this.problems = problems;
    this.warnings = warnings;
  }
}
