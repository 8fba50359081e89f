import { Ajv } from "ajv";
import { LineCounter, isNode, parseDocument, type Document } from "yaml";
import { parseDuration } from "#shared/agent-config/parse-duration.ts";
import { errorMessage } from "#shared/errors.ts";
import { terminal } from "../../errors/llm-error.ts";
import { STEP_ACTIONS, Script, type ScriptStep } from "./script-schema.ts";

const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true });
const isScript = ajv.compile<Script>(Script);
/** A file that is wrong everywhere is read again after the first few corrections anyway. */
const MAX_PROBLEMS = 10;

/**
 * Parses a script's YAML. Throws TerminalError `invalid_request` with every problem on a line of its own, each with
 * file, line and place; `file` is the name to use there.
 */
export function parseScript(file: string, text: string): Script {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const problems = document.errors.map(
    (error) => `${file}:${lines.linePos(error.pos[0]).line}: invalid YAML: ${error.message}`,
  );
  if (problems.length > 0) throw broken(problems);
  const value = resolved(file, document);
  const say = (path: string, message: string) => {
    const keys = path.split("/").slice(1);
    const place = keys.length === 0 ? "the script" : keys.join(".");
    problems.push(`${file}:${lineOf(document, lines, keys)}: ${place} ${message}`);
  };
  if (!isScript(value)) {
    for (const error of isScript.errors ?? []) {
      const extra: unknown = error.params["additionalProperty"];
      say(
        error.instancePath,
        `${error.message ?? "is not allowed"}${typeof extra === "string" ? `: ${extra}` : ""}`,
      );
    }
    throw broken(problems);
  }
  for (const [callIndex, { steps }] of value.calls.entries()) {
    for (const [stepIndex, step] of steps.entries()) {
      const problem = stepProblem(step);
      if (problem !== undefined) say(`/calls/${callIndex}/steps/${stepIndex}`, problem);
    }
  }
  if (problems.length > 0) throw broken(problems);
  return value;
}

function resolved(file: string, document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw broken([`${file}: invalid YAML: ${errorMessage(error)}`]); // an alias bomb, or an alias of nothing
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

function broken(problems: readonly string[]): Error {
  const shown = problems.slice(0, MAX_PROBLEMS);
  const more = problems.length > shown.length ? `\nand ${problems.length - shown.length} more` : "";
  return terminal("invalid_request", `${shown.join("\n")}${more}`);
}
