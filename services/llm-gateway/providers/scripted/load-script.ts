import { statSync, type Stats } from "node:fs";
import { readFile, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { errorMessage } from "#shared/errors.ts";
import { terminal } from "../../errors/llm-error.ts";
import type { Script } from "#shared/agent-config/scripts/script-schema.ts";
import { formatProblem } from "#shared/agent-config/config-problem.ts";
import { readScript } from "#shared/agent-config/scripts/read-script.ts";

/** More problems than this are only counted in the error. */
const MAX_PROBLEMS = 10;

const MAX_SCRIPT_BYTES = 8 * 1024 * 1024;
const MAX_CACHED = 64;

/** Loads the script at a path relative to the configuration directory. Throws TerminalError `invalid_request`. */
type ScriptLoader = (path: string) => Promise<Script>;

/**
 * Creates a loader for one configuration directory. A file is read again only if its modification time or size has
 * changed. A path that leaves the directory, also through a symbolic link, is refused.
 */
export function scriptLoader(configDir: string): ScriptLoader {
  const cache = new Map<string, { readonly version: string; readonly script: Script }>();
  return async (path) => {
    const known = cache.get(path);
    if (known !== undefined && known.version === versionNow(join(configDir, path))) return known.script;
    const file = await resolveInside(configDir, path);
    const found = await stat(file);
    const { size } = found;
    if (size > MAX_SCRIPT_BYTES) {
      throw terminal(
        "invalid_request",
        `script ${path} has ${size} bytes: at most ${MAX_SCRIPT_BYTES} are allowed`,
      );
    }
    const script = parseScript(path, await readFile(file, "utf8"));
    cache.delete(path);
    cache.set(path, { version: versionOf(found), script });
    const [oldest] = cache.keys();
    if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
    return script;
  };
}

/** Which file it is, and what is in it. */
function versionOf({ dev, ino, mtimeMs, size }: Stats): string {
  return `${dev}/${ino}/${mtimeMs}/${size}`;
}

/** Asked at once: in a thread, it would cost as much as the rest of a scripted call. */
function versionNow(path: string): string | undefined {
  try {
    return versionOf(statSync(path));
  } catch {
    return undefined;
  }
}

async function resolveInside(configDir: string, path: string): Promise<string> {
  if (path === "") {
    throw terminal(
      "invalid_request",
      "the provider has no script: name a script file relative to the configuration directory",
    );
  }
  if (isAbsolute(path)) throw outside(path);
  try {
    const root = await realpath(configDir);
    const file = await realpath(join(root, path));
    if (leaves(relative(root, file))) throw outside(path);
    if (!(await stat(file)).isFile()) throw terminal("invalid_request", `script ${path} is not a file`);
    return file;
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    // The error for a path outside must not tell whether the file exists.
    if (leaves(relative(configDir, join(configDir, path)))) throw outside(path);
    throw terminal("invalid_request", `script ${path} cannot be read: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

function leaves(inside: string): boolean {
  return inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside);
}

function outside(path: string): Error {
  return terminal(
    "invalid_request",
    `script ${path} lies outside the configuration directory: it must be inside`,
  );
}

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
