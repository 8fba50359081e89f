import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/** Resolves once the process has ended; immediately if it has already, as its whole group does on Ctrl-C. */
export async function untilExited(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}
