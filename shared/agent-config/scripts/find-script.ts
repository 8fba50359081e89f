import { realpathSync, statSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";

/**
 * True if a script, given relative to the configuration directory, is a file below it. Follows symbolic links, as the gateway does when
 * it reads the script.
 */
export function findScript(configDir: string, script: string): "file" | "missing" | "outside" {
  if (isAbsolute(script)) return "outside";
  try {
    const root = realpathSync(configDir);
    const file = realpathSync(join(root, script));
    const path = relative(root, file);
    if (path === ".." || path.startsWith(`..${sep}`)) return "outside";
    return statSync(file).isFile() ? "file" : "missing";
  } catch {
    // Missing, unreadable, or an invalid path (a NUL): in each case there is no such file for us.
    return "missing";
  }
}
