import { spawn } from "node:child_process";
import { EXIT_MISCONFIGURED } from "#shared/service/exit-codes.ts";
import { LaunchError } from "./launch-error.ts";
import { splitLines } from "./supervisor/split-lines.ts";

type RunMigrate = {
  /** The file of its program. */
  readonly entry: string;
  readonly compileCacheDir: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The directory with the database that the launcher itself runs; undefined for another server's. */
  readonly ownData?: string | undefined;
  readonly signal: AbortSignal;
  /** Called with every line of its output. */
  readonly onLine: (line: string) => void;
};

const maxLastLines = 8;

const newDatabase = (directory: string): string =>
  `\nFor a new database, move ${directory} away, or delete it by \`npm start -- --reset\`, and start again.`;

/**
 * Brings the schema of the database to this version, in a process of its own, which alone connects as the owner of the
 * tables. Resolves when it is done.
 * @throws LaunchError with its last output if it fails; the signal's reason once that aborts.
 */
export async function runMigrate({
  entry,
  compileCacheDir,
  cwd,
  env,
  ownData,
  signal,
  onLine,
}: RunMigrate): Promise<void> {
  signal.throwIfAborted();
  const child = spawn(process.execPath, [entry], {
    cwd,
    env: { NODE_COMPILE_CACHE: compileCacheDir, ...env },
    // This is as for the services: the terminal's Ctrl-C reaches only the launcher, whose end closes the channel.
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const lastLines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    const lines = splitLines((line) => {
      lastLines.push(line);
      if (lastLines.length > maxLastLines) lastLines.shift();
      onLine(line);
    });
    stream?.on("data", lines.push);
    stream?.on("end", lines.end);
  }
  const stop = (): void => void child.kill("SIGTERM");
  signal.addEventListener("abort", stop);
  try {
    const [end, code] = await new Promise<readonly [string, number | null]>((resolve) => {
      child.once("error", (error) => resolve([error.message, null]));
      child.once("close", (exitCode, killed) =>
        resolve([killed === null ? `exit code ${exitCode}` : `signal ${killed}`, exitCode]),
      );
    });
    signal.throwIfAborted();
    if (code === 0) return;
    const words = lastLines.length === 0 ? "it printed nothing" : `its last output:\n${lastLines.join("\n")}`;
    throw new LaunchError(
      `migrate cannot bring the database to this version (${end}), so TARSy cannot start; ${words}${code === EXIT_MISCONFIGURED && ownData !== undefined ? newDatabase(ownData) : ""}`,
    );
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
