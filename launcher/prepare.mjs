// Plain JavaScript for Node 20 and later, without dependencies: it installs the pinned Node and the dependencies.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { lockHolder, takeLock } from "./process/file-lock.mjs";
import { npmCommand } from "./process/npm-command.mjs";
import {
  countInstalled,
  isInstalled,
  planInstallation,
  removeUnread,
  stampInstalled,
} from "./installed-packages.mjs";

/** @typedef {import("./installed-packages.mjs").PackageSet} PackageSet */

/** The directory of package.json. */
export const projectRoot = dirname(dirname(fileURLToPath(import.meta.url)));

const PROGRESS_MS = 10_000;

const SIZES = { running: "what TARSy runs with, 0.4 GB on disk", all: "all packages, 0.8 GB on disk" };

/** An error that the user can fix. Its message is printed without a stack trace. */
class PrepareError extends Error {}

/** @param {string} line */
function progress(line) {
  process.stdout.write(`[prepare] ${line}\n`);
}

/**
 * Has npm install packages and prints how far it is, which npm does not.
 *
 * @param {string} root
 * @param {PackageSet} set
 * @param {"extend" | "replace"} way
 */
async function install(root, set, way) {
  const [command, ...before] = npmCommand();
  const action = way === "extend" ? ["install", "--no-save"] : ["ci"];
  const what = root === projectRoot ? SIZES[set] : `the packages of ${root}`;
  progress(`installing ${what}, with npm ${action.join(" ")}: a minute or more the first time`);
  const args = [
    ...before,
    ...action,
    "--ignore-scripts",
    set === "all" ? "--include=dev" : "--omit=dev",
    "--include=optional",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  const startedAt = performance.now();
  const report = setInterval(() => {
    const { installed, all } = countInstalled(root, set);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    progress(`${installed} of ${all} packages after ${seconds} s`);
  }, PROGRESS_MS);
  try {
    if (way === "extend") stampInstalled(root, "extending");
    const failure = await failureOf(command, args, root);
    if (failure !== undefined) {
      // npm has removed what it had added, unless it was killed.
      if (way === "extend" && failure.startsWith("exit code")) stampInstalled(root, "running");
      throw new PrepareError(
        `The dependencies could not be installed (npm ${action.join(" ")}: ${failure}); see the output of npm above, fix the cause and run this again.`,
      );
    }
    if (set === "running") removeUnread(root);
    stampInstalled(root, set);
    progress("the dependencies are installed");
  } finally {
    clearInterval(report);
  }
}

/**
 * Runs a program with its output in this terminal.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} cwd
 * @returns {Promise<string | undefined>} why it failed, or undefined
 */
async function failureOf(command, args, cwd) {
  const child = spawn(command, args, { cwd, stdio: ["ignore", "inherit", "inherit"] });
  return new Promise((resolve) => {
    child.once("error", ({ message }) => resolve(message));
    child.once("exit", (code, signal) => {
      resolve(code === 0 ? undefined : signal === null ? `exit code ${code}` : `signal ${signal}`);
    });
  });
}

/**
 * Installs the packages of package-lock.json unless they are installed; concurrent callers wait for each other. Throws PrepareError
 * while TARSy runs in this checkout if npm would remove the files of its services and of its PostgreSQL.
 *
 * @param {string} root
 * @param {PackageSet} wanted
 */
async function ensureInstalled(root, wanted) {
  const lockPath = join(root, ".tarsy", "prepare.lock");
  for (let isReported = false; !isInstalled(root, wanted); await delay(200)) {
    const taken = takeLock(lockPath);
    if ("lock" in taken) {
      try {
        if (isInstalled(root, wanted)) return;
        const { set, way } = planInstallation(root, wanted);
        const launcher = lockHolder(join(root, ".tarsy", "launcher.lock"));
        if (launcher !== undefined && way === "replace") {
          throw new PrepareError(
            `The dependencies have changed, and TARSy runs with the earlier ones in this directory (process ${launcher.identity.pid}): stop it, then run this again.`,
          );
        }
        await install(root, set, way);
        return;
      } finally {
        taken.lock.release();
      }
    }
    const { pid } = taken.holder.identity;
    if (!isReported) progress(`process ${pid} is installing the dependencies: waiting for it`);
    isReported = true;
  }
}

/**
 * The Node that runs everything else: the one in node_modules if it exists for this platform, else the current one.
 *
 * @param {string} root
 * @returns {string}
 */
function findNode(root) {
  const pinned = join(root, "node_modules", ".bin", "node");
  if (existsSync(pinned)) return realpathSync(pinned);
  /** @type {{ typescript?: unknown }} */
  const features = process.features;
  if (
    Number(process.versions.node.split(".")[0]) >= 24 &&
    features.typescript !== undefined &&
    features.typescript !== false
  ) {
    return process.execPath;
  }
  throw new PrepareError(
    `Node.js 24 with TypeScript support is needed and this is ${process.version} on ${process.platform}-${process.arch}, for which npm has no package; install Node.js 24 from nodejs.org and run this again with it.`,
  );
}

/**
 * Installs the dependencies and a Node that runs TypeScript. Quick if they are installed.
 *
 * @param {PackageSet} set
 * @param {string} [root]
 * @returns {Promise<{ node: string }>} the path of that Node
 * @throws PrepareError with the remedy
 */
export async function prepare(set, root = projectRoot) {
  await ensureInstalled(root, set);
  return { node: findNode(root) };
}

/**
 * Runs `main` and sets the exit code. A PrepareError is printed to stderr, with exit code 1.
 *
 * @param {() => Promise<number>} main
 */
export async function exitWith(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    if (!(error instanceof PrepareError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await exitWith(async () => {
    const isToRun = process.argv.includes("--running-only");
    const { node } = await prepare(isToRun ? "running" : "all");
    if (isToRun || process.argv.includes("--dependencies-only")) return 0;
    const { status } = spawnSync(node, [join(projectRoot, "launcher", "prepare-tools.ts")], {
      stdio: "inherit",
    });
    return status ?? 1;
  });
}
