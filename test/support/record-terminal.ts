import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

const WIDTH = 110;
const HEIGHT = 36;

interface Recording {
  /** A command line for a shell. */
  readonly command: string;
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
  /** What the player shows as the command. */
  readonly title: string;
  /** The asciicast to write. */
  readonly path: string;
}

/**
 * Runs a command in a terminal of its own (by `script` of util-linux) and writes what it shows as an asciicast, version 2, which
 * `asciinema play FILE` plays. Resolves with the exit code and the output, colours included.
 */
export async function recordTerminal({
  command,
  directory,
  env,
  title,
  path,
}: Recording): Promise<{ readonly code: unknown; readonly output: string }> {
  const inTerminal = `stty cols ${WIDTH} rows ${HEIGHT}; exec ${command}`;
  const child = spawn("script", ["--quiet", "--return", "--command", inTerminal, "/dev/null"], {
    cwd: directory,
    env: { ...env, TERM: "xterm-256color" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const startedAt = performance.now();
  const header = { version: 2, width: WIDTH, height: HEIGHT, title, env: { TERM: "xterm-256color" } };
  const lines = [JSON.stringify(header)];
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const seconds = (performance.now() - startedAt) / 1_000;
    lines.push(JSON.stringify([Number(seconds.toFixed(3)), "o", text]));
    output += text;
  });
  const closed: readonly unknown[] = await once(child, "close");
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${lines.join("\n")}\n`);
  return { code: closed[0], output };
}
