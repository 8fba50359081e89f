import type { ConfigProblem } from "#shared/agent-config/config-problem.ts";

/** Nobody reads more, and a hostile file must not fill the memory with complaints. */
const MAX_PROBLEMS = 500;

/** Collects everything there is to say about the files, so that one run reports all of it. */
export class ConfigReport {
  readonly #problems: ConfigProblem[] = [];
  readonly #errorPaths = new Set<string>();
  readonly #sayings = new Set<string>();
  #dropped = 0;

  /**
   * Records a problem. Dropped are a second error at the same path, which is a consequence of the first, and
   * what is said already about the same place, which an alias brings in once more.
   */
  add(problem: ConfigProblem): void {
    const { severity, file, line, column, path, message } = problem;
    const lastSegment = path.slice(Math.max(path.lastIndexOf("."), path.lastIndexOf("[")) + 1);
    const saying = [severity, file, line, column, lastSegment, message].join(" ");
    if (this.#sayings.has(saying)) return;
    this.#sayings.add(saying);
    if (severity === "error") {
      const key = `${file} ${path}`;
      if (path !== "" && this.#errorPaths.has(key)) return;
      this.#errorPaths.add(key);
    }
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(problem);
    else this.#dropped += 1;
  }

  /** True if an error is known whose path satisfies the test. */
  hasErrorAt(test: (path: string) => boolean): boolean {
    return this.#problems.some((problem) => problem.severity === "error" && test(problem.path));
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
