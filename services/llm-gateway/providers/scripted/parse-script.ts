import { formatProblem } from "#shared/agent-config/config-problem.ts";
import { readScript } from "#shared/agent-config/scripts/read-script.ts";
import type { Script } from "#shared/agent-config/scripts/script-schema.ts";
import { terminal } from "../../errors/llm-error.ts";

/** More problems than this are only counted in the error. */
const MAX_PROBLEMS = 10;

/**
 * Parses a script's YAML. `file` is its name in messages. Throws TerminalError `invalid_request` with one line per
 * problem, each with file, line, column and key.
 */
export function parseScript(file: string, text: string): Script {
  const read = readScript(file, text);
  if (read.script !== undefined) return read.script;
  const { problems } = read;
  const shown = problems.slice(0, MAX_PROBLEMS).map(formatProblem);
  const more = problems.length > shown.length ? `\nand ${problems.length - shown.length} more` : "";
  throw terminal("invalid_request", `${shown.join("\n")}${more}`);
}
