import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The path of util-linux's `setpriv`, or `undefined` if it is not installed. */
export function findSetpriv(): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/bin", "/bin"];
  return folders.map((folder) => join(folder, "setpriv")).find((path) => existsSync(path));
}

/**
 * A command line that runs `command` with a parent death signal: the kernel sends `signal` when this process is killed
 * (`kill -9`). Without `setpriv` it is `command` itself.
 */
export function dieWithParent(command: readonly string[], signal: "TERM" | "INT"): readonly string[] {
  const setpriv = findSetpriv();
  return setpriv === undefined ? command : [setpriv, "--pdeathsig", signal, "--", ...command];
}
