import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { errorMessage } from "#shared/errors.ts";
import type { ConfigProblem } from "#shared/agent-config/config-problem.ts";

/** Far beyond any configuration written by hand; a limit keeps a wrong file from eating the process. */
export const MAX_FILE_BYTES = 1024 * 1024;

/** The text of a configuration file, or undefined after reporting why there is none. */
export async function readConfigFile(
  file: string,
  report: (problem: ConfigProblem) => void,
): Promise<string | undefined> {
  const refuse = (message: string) => {
    report({ severity: "error", file, line: 1, column: 1, path: "", message });
    return undefined;
  };
  try {
    // Non-blocking, or a named pipe would hold the start up for ever.
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await handle.stat();
    if (!stats.isFile()) {
      return refuse(`is ${stats.isDirectory() ? "a directory" : "no regular file"}; it must be a YAML file`);
    }
    if (stats.size > MAX_FILE_BYTES) {
      return refuse(`has ${stats.size} bytes; a configuration file may have at most ${MAX_FILE_BYTES}`);
    }
    return decode(await handle.readFile()) ?? refuse("is not UTF-8 text; it must be a YAML file");
  } catch (error) {
    return refuse(describeFailure(error));
  }
}

function describeFailure(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT" || code === "ENOTDIR") return "configuration file not found";
  if (code === "EACCES" || code === "EPERM") return "cannot be read: permission denied";
  return `cannot be read: ${errorMessage(error)}`;
}

function decode(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
