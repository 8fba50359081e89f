import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { PackFile } from "#shared/agent-config/schemas/pack-file.ts";
import type { Environment } from "#shared/service/environment.ts";

export interface InstallOptions {
  /** The directory of all installed packs. */
  readonly directory: string;
  /** The environment of npm and pip. */
  readonly env: Environment;
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
}

/** A pack, and the folder of its file, which has the hashes of its packages beside it. */
export interface FoundPack {
  readonly pack: PackFile;
  readonly folder: string;
}

const INSTALL_MS = 600_000;

/** Stands where a program failed and said nothing. */
export const NOT_STARTED = `it took more than ${INSTALL_MS / 1_000} s, or did not start`;

/** Runs a program; undefined if it succeeds, else what it wrote to its standard error. Throws the signal's reason. */
export async function run(
  command: string,
  args: readonly string[],
  more: { readonly cwd?: string },
  { env, signal }: Pick<InstallOptions, "env" | "signal">,
): Promise<string | undefined> {
  try {
    await promisify(execFile)(command, args, { ...more, env, signal, timeout: INSTALL_MS });
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof Error && "stderr" in error ? String(error.stderr) : "";
  }
}
