import type { Environment } from "#shared/service/environment.ts";
import type { TerminalStyle } from "./terminal/terminal-style.ts";

/** An option of a command; without `value` it is a switch. */
export interface CommandOption {
  /** Stands for the value in the help, e.g. `URL`. */
  readonly value?: string;
  readonly help: string;
  readonly choices?: readonly string[];
}

/** The output of a command. */
export interface Terminal {
  readonly write: (text: string) => void;
  readonly warn: (text: string) => void;
  readonly style: TerminalStyle;
  /** Text on the screen may be replaced. */
  readonly isTerminal: boolean;
  /** A person can answer questions. */
  readonly isInteractive: boolean;
  readonly columns: number;
}

/** One call of a command, with checked arguments. */
export interface CommandCall {
  readonly positionals: readonly string[];
  readonly option: (name: string) => string | undefined;
  readonly flag: (name: string) => boolean;
  readonly terminal: Terminal;
  readonly env: Environment;
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal;
}

/** A command of `tarsy`. */
export interface Command {
  readonly name: string;
  /** The positional arguments, e.g. `SESSION [APPROVAL]`. */
  readonly args: string;
  /** The most of them. */
  readonly maxArgs: number;
  readonly summary: string;
  /** Further lines of the help. */
  readonly details?: string;
  /** The words that may come first, for the shell's completion. */
  readonly words?: readonly string[];
  readonly options: Readonly<Record<string, CommandOption>>;
  /** Resolves with the exit code. Throws UsageError, ApiFailure and other errors with one sentence. */
  readonly run: (call: CommandCall) => Promise<number>;
}

/** The command line is wrong. The message is one sentence. */
export class UsageError extends Error {}
