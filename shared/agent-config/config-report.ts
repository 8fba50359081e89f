import type { ConfigProblem } from "#shared/agent-config/config-problem.ts";

/** Nobody reads more, and a hostile file must not fill the memory with complaints. */
const MAX_PROBLEMS = 500;

/** Collects everything there is to say about the files, so that one run reports all of it. */
export class ConfigReport {
  readonly #problems: ConfigProblem[] = [];
  readonly #errorPaths = new Set<string>();
  #dropped = 0;

  /** Records a problem; a second error at the same place and path is a consequence of the first and dropped. */
  add(problem: ConfigProblem): void {
    if (problem.severity === "error") {
      const key = `${problem.file} ${problem.path}`;
      if (problem.path !== "" && this.#errorPaths.has(key)) return;
      this.#errorPaths.add(key);
    }
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(problem);
    else this.#dropped += 1;
  }

  /** How many problems were beyond what a report holds. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Errors by file and place. */
  errors(): ConfigProblem[] {
    return this.#sorted("error");
  }

  /** Warnings by file and place. */
  warnings(): ConfigProblem[] {
    return this.#sorted("warning");
  }

  #sorted(severity: ConfigProblem["severity"]): ConfigProblem[] {
    return this.#problems
      .filter((problem) => problem.severity === severity)
      .sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column);
  }
}
