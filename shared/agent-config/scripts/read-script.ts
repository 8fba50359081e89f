import { Ajv, type ErrorObject } from "ajv";
import { LineCounter, isMap, isNode, isScalar, parseDocument, type Document } from "yaml";
import type { ConfigProblem } from "#shared/agent-config/config-problem.ts";
import { alertPattern } from "#shared/agent-config/scripts/alert-pattern.ts";
import { Script, STEP_ACTIONS, type ScriptStep } from "#shared/agent-config/scripts/script-schema.ts";
import { joinPath } from "#shared/agent-config/source-map.ts";
import { nearestName, suggestName } from "#shared/agent-config/suggest-name.ts";
import { OWN_SCHEMA_OPTIONS } from "#shared/contracts/compile-parser.ts";
import { errorMessage } from "#shared/errors.ts";
import { parseDuration } from "#shared/agent-config/parse-duration.ts";

const ajv = new Ajv({
  allErrors: true,
  verbose: true,
  strict: true,
  allowUnionTypes: true,
  ...OWN_SCHEMA_OPTIONS,
});

/** A script, or what is wrong with its text, by position. */
type ReadScript =
  | { readonly script: Script }
  | { readonly script: undefined; readonly problems: readonly ConfigProblem[] };

/** Reads the YAML of a script of the scripted provider. `file` is its name in the problems. Never throws. */
export function readScript(file: string, text: string): ReadScript {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const problems = new ScriptProblems(file, document, lines);
  for (const error of document.errors) problems.addAt(error.pos[0], `invalid YAML: ${error.message}`);
  if (problems.found.length > 0) return { script: undefined, problems: problems.found };
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    // Too many aliases, or one without an anchor: the parser does not say where.
    problems.addAt(0, `invalid YAML: ${errorMessage(error)}`);
    return { script: undefined, problems: problems.found };
  }
  // Compiled by the first call, and kept by ajv.
  const isScript = ajv.compile<Script>(Script);
  if (isScript(value)) {
    checkCalls(value, problems);
    return problems.found.length === 0 ? { script: value } : { script: undefined, problems: problems.found };
  }
  for (const error of isScript.errors ?? []) addViolation(error, problems);
  return { script: undefined, problems: problems.found };
}

/** The rules that the schema cannot state. */
function checkCalls({ calls }: Script, problems: ScriptProblems): void {
  for (const [callIndex, { when, steps }] of calls.entries()) {
    const path = ["calls", callIndex];
    const invalid = patternProblem(when?.alert_matches);
    if (invalid !== undefined) problems.add([...path, "when", "alert_matches"], invalid);
    for (const [stepIndex, step] of steps.entries()) {
      const problem = stepProblem(step);
      if (problem !== undefined) problems.add([...path, "steps", stepIndex], problem);
    }
  }
}

function patternProblem(pattern: string | undefined): string | undefined {
  try {
    if (pattern !== undefined) alertPattern(pattern);
    return undefined;
  } catch (error) {
    return `must be a regular expression of JavaScript: ${errorMessage(error)}`;
  }
}

function addViolation(error: ErrorObject, problems: ScriptProblems): void {
  const { instancePath, params, message = "is not allowed", data } = error;
  const path = instancePath
    .split("/")
    .slice(1)
    .map((segment) => (/^\d+$/u.test(segment) ? Number(segment) : segment));
  const extra: unknown = params["additionalProperty"];
  const allowed: unknown = params["allowedValues"];
  if (typeof extra === "string") problems.addKey([...path, extra], unknownKey(extra, error));
  else if (Array.isArray(allowed)) {
    const hint = suggestName(typeof data === "string" ? data : "", allowed.map(String));
    problems.add(path, `must be one of the allowed values; ${hint}`);
  } else problems.add(path, message);
}

function unknownKey(key: string, { parentSchema }: ErrorObject): string {
  const properties: unknown = parentSchema?.["properties"];
  const known = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  const nearest = nearestName(key, known);
  return `is not a known key; ${nearest === undefined ? `known keys: ${known.join(", ")}` : `did you mean ${nearest}?`}`;
}

type Path = readonly (string | number)[];

/** Collects problems with the positions of the nodes that they are about; of several at one path, the first. */
class ScriptProblems {
  readonly found: ConfigProblem[] = [];
  readonly #file: string;
  readonly #document: Document;
  readonly #lines: LineCounter;

  constructor(file: string, document: Document, lines: LineCounter) {
    this.#file = file;
    this.#document = document;
    this.#lines = lines;
  }

  addAt(offset: number, message: string, path = ""): void {
    if (path !== "" && this.found.some((problem) => problem.path === path)) return;
    const { line, col } = this.#lines.linePos(offset);
    this.found.push({
      severity: "error",
      file: this.#file,
      line: Math.max(line, 1),
      column: Math.max(col, 1),
      path,
      message,
    });
  }

  /** Reports a problem of the value at a path, or of the nearest one around it. */
  add(path: Path, message: string): void {
    this.addAt(this.#offsetOf(path), message, pathText(path));
  }

  /** Reports a problem of the key that is the path's last segment. */
  addKey(path: Path, message: string): void {
    const parent: unknown =
      path.length === 1 ? this.#document.contents : this.#document.getIn(path.slice(0, -1), true);
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(path.at(-1)))
      : undefined;
    const at = isNode(pair?.key) ? pair.key.range?.[0] : undefined;
    this.addAt(at ?? this.#offsetOf(path), message, pathText(path));
  }

  #offsetOf(path: Path): number {
    for (let depth = path.length; depth > 0; depth -= 1) {
      const node: unknown = this.#document.getIn(path.slice(0, depth), true);
      if (isNode(node) && node.range) return node.range[0];
    }
    return 0;
  }
}

/** The form is that of the other files: `calls[0].steps`. */
function pathText(path: Path): string {
  return path.reduce<string>(joinPath, "");
}

/** The problem of a step of a script whose shape is right; undefined if it has none. */
function stepProblem(step: ScriptStep): string | undefined {
  const keys = Object.keys(step).filter((key) => STEP_ACTIONS.includes(key));
  if (keys.length !== 1) {
    const found = keys.length === 0 ? "none" : keys.join(" and ");
    return `must have exactly one of ${STEP_ACTIONS.join(", ")}: it has ${found}`;
  }
  const chunked = step.chunk_size !== undefined || step.chunk_delay !== undefined;
  if (chunked && step.text === undefined && step.thinking === undefined) {
    return "has chunk_size or chunk_delay: they go with text or thinking only";
  }
  if (step.error?.retry_after !== undefined && step.error.retryable !== true) {
    return "has retry_after: it goes with retryable: true only";
  }
  if (step.error?.retried !== undefined && step.error.retry_after === undefined) {
    return "has retried: it goes with retry_after only";
  }
  const durations = {
    delay: step.delay,
    chunk_delay: step.chunk_delay,
    "error.retry_after": step.error?.retry_after,
  };
  for (const [key, text] of Object.entries(durations)) {
    const duration = text === undefined ? 0 : parseDuration(text);
    if (duration === undefined || duration < 0 || duration > 3_600_000) {
      return `has ${key} "${text}": it must be a duration up to 1h, e.g. 200ms or 1.5s`;
    }
  }
  return undefined;
}
