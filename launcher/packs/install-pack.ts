import { execFile } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import type { Environment } from "#shared/service/environment.ts";
import { npmCommand } from "../process/npm-command.mjs";

/** A program that is an MCP server, as packages of npm for single platforms. */
export interface Pack {
  readonly name: string;
  /** Under which the program is found. */
  readonly command: string;
  readonly version: string;
  readonly size: string;
  /** Keyed by `process.platform` and `process.arch`: only files with this hash are installed. */
  readonly packages: Readonly<Record<string, PackPackage>>;
}

interface PackPackage {
  readonly name: string;
  readonly integrity: string;
  readonly program: string;
}

/** Reads a Kubernetes cluster; the built-in `kubernetes-server` starts it. */
export const KUBERNETES_PACK: Pack = {
  name: "kubernetes",
  command: "kubernetes-mcp-server",
  version: "0.0.67",
  size: "75 MB",
  packages: {
    "linux-x64": {
      name: "kubernetes-mcp-server-linux-amd64",
      integrity:
        "sha512-VW5wRdetbJmfCHkCEBA808bgJJRL1GCfkSZ17J+SJJuNiKcvjibcGR32272WKtwd3Td4ZVrOPomExKgCNE16jA==",
      program: "bin/kubernetes-mcp-server-linux-amd64",
    },
  },
};

export interface InstallOptions {
  /** The directory of all packs. */
  readonly directory: string;
  /** The environment of npm. */
  readonly env: Environment;
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
}

const INSTALL_MS = 180_000;

/**
 * Installs a pack below `directory` unless this version of it is there, with a link to its program in `bin`. Throws an Error whose
 * message says why it could not be installed, or the signal's reason.
 */
export async function installPack(
  pack: Pack,
  { directory, env, signal, progress }: InstallOptions,
): Promise<void> {
  const platform = `${process.platform}-${process.arch}`;
  const found = pack.packages[platform];
  if (found === undefined) {
    throw new Error(`no build of ${pack.command} for ${platform} is known: put one on the PATH`);
  }
  const target = join(directory, pack.name);
  const { name, integrity, program } = found;
  const dependencies = { [name]: pack.version };
  // npm checks each package that it installs against the hash in this file.
  const lock = JSON.stringify({
    lockfileVersion: 3,
    requires: true,
    packages: { "": { dependencies }, [`node_modules/${name}`]: { version: pack.version, integrity } },
  });
  if (!isInstalled(target, lock)) {
    progress(`installing ${pack.command} ${pack.version} (${pack.size}) in ${target}`);
    const draft = join(directory, `.${pack.name}-${process.pid}`);
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { recursive: true });
    try {
      writeFileSync(join(draft, "package.json"), JSON.stringify({ private: true, dependencies }));
      writeFileSync(join(draft, "package-lock.json"), lock);
      await runNpm(draft, env, signal);
      chmodSync(join(draft, "node_modules", name, program), 0o755);
      rmSync(target, { recursive: true, force: true });
      renameSync(draft, target);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  linkProgram(join(directory, "bin"), pack.command, join(target, "node_modules", name, program));
}

function isInstalled(target: string, lock: string): boolean {
  const path = join(target, "package-lock.json");
  return existsSync(path) && readFileSync(path, "utf8") === lock;
}

async function runNpm(directory: string, env: Environment, signal: AbortSignal): Promise<void> {
  const [command, ...first] = npmCommand();
  const args = [...first, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  try {
    await promisify(execFile)(command, args, { cwd: directory, env, signal, timeout: INSTALL_MS });
  } catch (error) {
    signal.throwIfAborted();
    const said = error instanceof Error && "stderr" in error ? String(error.stderr) : "";
    const line = said.split("\n").find((text) => /^npm error (?!code)/u.test(text));
    const reason =
      line?.slice("npm error ".length) ?? `it took more than ${INSTALL_MS / 1_000} s, or did not start`;
    throw new Error(`npm could not install it: ${reason}`, { cause: error });
  }
}

function linkProgram(directory: string, command: string, program: string): void {
  mkdirSync(directory, { recursive: true });
  const link = join(directory, command);
  rmSync(link, { force: true });
  symlinkSync(relative(directory, program), link);
}
