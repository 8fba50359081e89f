import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The path of util-linux's `setpriv`, or `undefined` where there is none. */
export function findSetpriv(): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/bin", "/bin"];
  return folders.map((folder) => join(folder, "setpriv")).find((path) => existsSync(path));
}

/**
 * A command line that runs `command` so that the kernel sends it `signal` when we die without a chance to stop
 * it (`kill -9`), where the system can do that; otherwise the command line as it is.
 */
export function dieWithParent(command: readonly string[], signal: "TERM" | "INT"): readonly string[] {
  const setpriv = findSetpriv();
  return setpriv === undefined ? command : [setpriv, "--pdeathsig", signal, "--", ...command];
}
