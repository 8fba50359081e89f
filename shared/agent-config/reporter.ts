import type { Environment } from "#shared/agent-config/config-environment.ts";
import type { ConfigProblem } from "#shared/agent-config/config-problem.ts";
import { ConfigReport } from "#shared/agent-config/config-report.ts";
import { looksSecret } from "#shared/agent-config/looks-secret.ts";
import { nearestName } from "#shared/agent-config/nearest-name.ts";
import { SourceMap, type Written } from "#shared/agent-config/source-map.ts";

/** What a complaint is about: a value of a container, or the container itself. */
export interface Target {
  readonly container: object;
  readonly key?: string | number;
  /** Instead of the place's own path, for what is missing in a section that is missing itself. */
  readonly path?: string;
  /** Keeps the value out of the report. */
  readonly secret?: boolean;
}

/** Says what is wrong with values read from files: adds their place, path and what was found there. */
export class Reporter {
  readonly report = new ConfigReport();
  readonly sources = new SourceMap();
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** `rule` reads on from the path: "must be …", "needs …"; `hint` follows a semicolon. */
  error(target: Target, rule: string, hint?: string): void {
    this.#add("error", target, rule, hint);
  }

  /** As `error`, for what does not keep the configuration from being used. */
  warn(target: Target, rule: string, hint?: string): void {
    this.#add("warning", target, rule, hint);
  }

  /** An error if the name is not among the known ones; undefined `known` (their file is broken) passes. */
  unknownName(
    target: Target,
    what: string,
    name: string | undefined,
    known: Iterable<string> | undefined,
  ): void {
    if (name === undefined || known === undefined) return;
    const names = [...known];
    if (names.includes(name)) return;
    this.error(target, `must be a known ${what}`, suggest(name, names));
  }

  #add(severity: ConfigProblem["severity"], target: Target, rule: string, hint: string | undefined): void {
    const written = this.sources.find(target.container, target.key);
    if (written === undefined) throw new Error(`a problem without a place: ${rule}`);
    if (written.broken) return;
    const { value, found } = this.#describe(written, target.secret ?? false);
    this.report.add({
      severity,
      file: written.file,
      line: written.line,
      column: written.column,
      path: target.path ?? written.path,
      ...(value === undefined ? {} : { value }),
      message: `${rule}${found}${hint === undefined ? "" : `; ${hint}`}`,
    });
  }

  #describe(written: Written, secret: boolean): { value?: string; found: string } {
    const unset = written.variables.filter((name) => (this.#env[name] ?? "") === "");
    const reason =
      unset.length === 0 ? "" : ` (${unset.join(", ")} ${unset.length === 1 ? "is" : "are"} not set)`;
    if (written.kind === "mapping" || written.kind === "list") return { found: `, found a ${written.kind}` };
    if (written.text === undefined || secret) return { found: reason };
    const value = shorten(written.text);
    const open = written.variables.filter((name) => !looksSecret(name) && (this.#env[name] ?? "") !== "");
    const values = open.map((name) => `${name} is ${shorten(JSON.stringify(this.#env[name]))}`);
    return { value, found: `, found ${value}${values.length === 0 ? reason : ` (${values.join(", ")})`}` };
  }
}

/** "did you mean …? allowed: …" */
export function suggest(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  const list = names.length === 0 ? "there is none" : `allowed: ${names.slice(0, 30).sort().join(", ")}`;
  return nearest === undefined ? list : `did you mean ${nearest}? ${list}`;
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/gu, " ").trim();
  return line.length > 80 ? `${line.slice(0, 79)}…` : line === "" ? "nothing" : line;
}
