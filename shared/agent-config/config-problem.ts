/** Where something stands in a file as it was written, before interpolation. Lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One thing to say about the configuration files. */
export interface ConfigProblem extends Place {
  readonly severity: "error" | "warning";
  /** Such as `agent_chains.k8s.stages[0].agents[1].name`; empty for the file as a whole. */
  readonly path: string;
  /** The offending value as it may be shown; absent where something is missing or secret. */
  readonly value?: string;
  /** What is wrong, what is allowed and what to do: one sentence without a full stop. */
  readonly message: string;
}

/** The problem as one line: `file:line:column: path: message`. */
export function formatProblem(problem: ConfigProblem): string {
  const place = `${problem.file}:${problem.line}:${problem.column}`;
  const path = problem.path === "" ? "" : `${problem.path}: `;
  return `${place}: ${problem.severity === "warning" ? "warning: " : ""}${path}${problem.message}`;
}
