import type { ConfigProblem } from "#shared/agent-config/config-problem.ts";
import { looksSecret } from "#shared/agent-config/effective-config.ts";
import { SourceMap, type WrittenValue } from "#shared/agent-config/source-map.ts";
import { suggestName } from "#shared/agent-config/suggest-name.ts";
import type { Environment } from "#shared/service/environment.ts";

/** The subject of a problem: a value of a container, or the container itself. */
export interface Target {
  readonly container: object;
  readonly key?: string | number;
  /** Replaces the value's own path, for a missing key of a section that is missing itself. */
  readonly path?: string;
  /** Keeps the value out of the report. */
  readonly secret?: boolean;
}

/** Collects every problem of the files with its position, path and the value found there. */
export class Reporter {
  readonly sources = new SourceMap();
  readonly #env: Environment;
  readonly #problems = new Map<string, ConfigProblem>();
  readonly #errorPaths = new Set<string>();

  constructor(env: Environment) {
    this.#env = env;
  }

  /** `rule` continues the path: "must be …", "needs …"; `hint` follows a semicolon. */
  error(target: Target, rule: string, hint?: string): void {
    this.#addFound("error", target, rule, hint);
  }

  /** Does the same as `error`, for a problem that does not prevent the use of the configuration. */
  warn(target: Target, rule: string, hint?: string): void {
    this.#addFound("warning", target, rule, hint);
  }

  /** An error if the name is not among the known ones. Accepts any if `known` is undefined: their file is broken. */
  unknownName(
    target: Target,
    what: string,
    name: string | undefined,
    known: Iterable<string> | undefined,
  ): void {
    if (name === undefined || known === undefined) return;
    const names = [...known];
    if (names.includes(name)) return;
    this.error(target, `must be a known ${what}`, suggestName(name, names));
  }

  /**
   * Records a problem. Drops a second error at the same path, which follows from the first, and a repetition
   * at the same position, which comes from an alias.
   */
  add(problem: ConfigProblem): void {
    const { severity, file, line, column, path, message } = problem;
    const lastSegment = path.slice(Math.max(path.lastIndexOf("."), path.lastIndexOf("[")) + 1);
    const id = [severity, file, line, column, lastSegment, message].join(" ");
    if (this.#problems.has(id)) return;
    if (severity === "error" && path !== "") {
      const errorPath = `${file} ${path}`;
      if (this.#errorPaths.has(errorPath)) return;
      this.#errorPaths.add(errorPath);
    }
    this.#problems.set(id, problem);
  }

  /** Errors by file and position. */
  errors(): ConfigProblem[] {
    return this.#sorted("error");
  }

  /** Warnings by file and position. */
  warnings(): ConfigProblem[] {
    return this.#sorted("warning");
  }

  #sorted(severity: ConfigProblem["severity"]): ConfigProblem[] {
    return [...this.#problems.values()]
      .filter((problem) => problem.severity === severity)
      .sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column);
  }

  #addFound(severity: ConfigProblem["severity"], target: Target, rule: string, hint = ""): void {
    const written = this.sources.find(target.container, target.key);
    if (written === undefined) throw new Error(`a problem without a position: ${rule}`);
    // The value could not be read, and that has been reported.
    if (written.broken) return;
    const { file, line, column } = written;
    const found = this.#describeFound(written, target.secret ?? false);
    const message = `${rule}${found}${hint === "" ? "" : `; ${hint}`}`;
    this.add({ severity, file, line, column, path: target.path ?? written.path, message });
  }

  #describeFound({ kind, text, variables }: WrittenValue, secret: boolean): string {
    if (kind === "mapping" || kind === "list") return `, found a ${kind}`;
    const isSet = (name: string) => (this.#env[name] ?? "") !== "";
    const unset = variables.filter((name) => !isSet(name));
    const reason =
      unset.length === 0 ? "" : ` (${unset.join(", ")} ${unset.length === 1 ? "is" : "are"} not set)`;
    if (text === undefined || secret) return reason;
    const shown = variables.filter((name) => isSet(name) && !looksSecret(name));
    const values = shown.map((name) => `${name} is ${shorten(JSON.stringify(this.#env[name]))}`);
    return `, found ${shorten(text)}${values.length === 0 ? reason : ` (${values.join(", ")})`}`;
  }
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/gu, " ").trim();
  return line.length > 80 ? `${line.slice(0, 79)}…` : line === "" ? "nothing" : line;
}
