import { Ajv } from "ajv";
import { LineCounter, isNode, parseDocument, type Document } from "yaml";
import { OWN_SCHEMA_OPTIONS } from "#shared/contracts/own-schema-options.ts";
import { parseDuration } from "#shared/agent-config/parse-duration.ts";
import { errorMessage } from "#shared/errors.ts";
import { terminal } from "../../errors/llm-error.ts";
import { alertPattern } from "./alert-pattern.ts";
import { STEP_ACTIONS, Script, type ScriptStep } from "./script-schema.ts";

const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true, ...OWN_SCHEMA_OPTIONS });
const isScript = ajv.compile<Script>(Script);
/** More problems than this are only counted in the error. */
const MAX_PROBLEMS = 10;

/**
 * Parses a script's YAML. `file` is its name in messages. Throws TerminalError `invalid_request` with one line per
 * problem, each with file, line and key.
 */
export function parseScript(file: string, text: string): Script {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const problems = document.errors.map(
    (error) => `${file}:${lines.linePos(error.pos[0]).line}: invalid YAML: ${error.message}`,
  );
  if (problems.length > 0) throw invalidScript(problems);
  const value = toValue(file, document);
  const report = (path: string, message: string) => {
    const keys = path.split("/").slice(1);
    const key = keys.length === 0 ? "the script" : keys.join(".");
    problems.push(`${file}:${lineOf(document, lines, keys)}: ${key} ${message}`);
  };
  if (!isScript(value)) {
    for (const error of isScript.errors ?? []) {
      const extra: unknown = error.params["additionalProperty"];
      report(
        error.instancePath,
        `${error.message ?? "is not allowed"}${typeof extra === "string" ? `: ${extra}` : ""}`,
      );
    }
    throw invalidScript(problems);
  }
  for (const [callIndex, { when, steps }] of value.calls.entries()) {
    const invalid = patternProblem(when?.alert_matches);
    if (invalid !== undefined) report(`/calls/${callIndex}/when/alert_matches`, invalid);
    for (const [stepIndex, step] of steps.entries()) {
      const problem = stepProblem(step);
      if (problem !== undefined) report(`/calls/${callIndex}/steps/${stepIndex}`, problem);
    }
  }
  if (problems.length > 0) throw invalidScript(problems);
  return value;
}

function toValue(file: string, document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw invalidScript([`${file}: invalid YAML: ${errorMessage(error)}`]); // too many or undefined aliases
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

function lineOf(document: Document, lines: LineCounter, keys: readonly string[]): number {
  for (let depth = keys.length; depth > 0; depth -= 1) {
    const path = keys.slice(0, depth).map((key) => (/^\d+$/u.test(key) ? Number(key) : key));
    const node: unknown = document.getIn(path, true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

function invalidScript(problems: readonly string[]): Error {
  const shown = problems.slice(0, MAX_PROBLEMS);
  const more = problems.length > shown.length ? `\nand ${problems.length - shown.length} more` : "";
  return terminal("invalid_request", `${shown.join("\n")}${more}`);
}
