import { COMMANDS } from "../tarsy/commands.ts";
import { runTarsy } from "../tarsy/run-tarsy.ts";
import { terminalStyle } from "../tarsy/terminal/terminal-style.ts";

/** What a command has printed, and its exit code. */
export interface TarsyRun {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

/**
 * Runs `tarsy` in this process with these arguments and this environment, without a terminal. It costs a fraction of a process, for tests
 * of what a command does; those of signals, of standard input and of the end of the process start one.
 */
export async function tarsyHere(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<TarsyRun> {
  let [out, errors] = ["", ""];
  const code = await runTarsy(args, {
    commands: COMMANDS,
    env,
    terminal: {
      write: (text) => (out += text),
      warn: (text) => (errors += text),
      style: terminalStyle(false),
      isTerminal: false,
      isInteractive: false,
      columns: Number.POSITIVE_INFINITY,
    },
  });
  return { code, out, errors };
}
