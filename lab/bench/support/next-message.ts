import type { ChildProcess } from "node:child_process";

/** The next message of a forked process. Rejects, naming it as `what`, if it ends first. */
export async function nextMessage(child: ChildProcess, what: string): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const onMessage = (message: unknown) => resolve(message);
  const onExit = (code: number | null, signal: string | null) =>
    reject(new Error(`${what} has ended with ${code ?? signal}`));
  child.once("message", onMessage).once("exit", onExit);
  try {
    return await promise;
  } finally {
    child.off("message", onMessage).off("exit", onExit);
  }
}
