import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findKeys } from "#shared/agent-config/found/find-keys.ts";
import { copyInitialCluster } from "../../test/support/initial-cluster.ts";
import { stampInstalled } from "../installed-packages.mjs";
import { projectRoot } from "../prepare.mjs";
import { projectPaths } from "../project-paths.ts";

/** The services' names. */
export const services = ["tool-runner", "llm-gateway", "executor", "notifier", "api"] as const;

/** Any free port for every service. */
export const anyPorts = {
  API_PORT: "0",
  NOTIFIER_PORT: "0",
  LLM_GATEWAY_PORT: "0",
  API_HEALTH_PORT: "0",
  EXECUTOR_HEALTH_PORT: "0",
  LLM_GATEWAY_HEALTH_PORT: "0",
  TOOL_RUNNER_HEALTH_PORT: "0",
  NOTIFIER_HEALTH_PORT: "0",
};

/** Creates a checkout at `root` with the real launcher and stub services. */
export function createCheckout(root: string): void {
  const link = (path: string): void => symlinkSync(join(projectRoot, path), join(root, path));
  cpSync(join(projectRoot, "launcher"), join(root, "launcher"), { recursive: true });
  for (const name of [".npmrc", "package-lock.json", "package.json"]) {
    cpSync(join(projectRoot, name), join(root, name));
  }
  link("shared");
  link("deploy");
  mkdirSync(join(root, "node_modules"));
  for (const name of readdirSync(join(projectRoot, "node_modules"))) {
    // Each checkout has its own record of installed packages.
    if (name !== ".tarsy-stamp" && name !== ".package-lock.json") link(join("node_modules", name));
  }
  stampInstalled(root, "all");
  mkdirSync(join(root, ".tarsy"));
  mkdirSync(projectPaths(projectRoot).tools, { recursive: true });
  symlinkSync(projectPaths(projectRoot).tools, projectPaths(root).tools);
  for (const service of [...services, "migrate"]) {
    const folder = join(root, "services", service);
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, "main.ts"),
      `import ${JSON.stringify(join(root, "launcher/test/stub-service.ts"))};\n`,
    );
  }
}

/** Creates a checkout at `root` with the real launcher and the real services, whose files can be edited. */
export function createEditableCheckout(root: string): void {
  createCheckout(root);
  for (const folder of ["services", "shared", "deploy"]) {
    rmSync(join(root, folder), { recursive: true });
    cpSync(join(projectRoot, folder), join(root, folder), {
      recursive: true,
      filter: (path) => !/\/(?:test|dist(?:\.\d+)?)$/u.test(path),
    });
  }
}

/** Gives a checkout the new, empty Postgres that its first start would make, which takes seconds; start.test.ts has that. */
export async function addNewCluster(root: string): Promise<void> {
  const { data, postgres } = projectPaths(root);
  mkdirSync(data, { recursive: true });
  await copyInitialCluster(postgres, false);
}

/** Makes a stub service misbehave from its next start on; `undefined` makes it behave again. */
export function misbehave(
  root: string,
  service: string,
  behaviour: "die" | "deaf" | "misconfigured" | undefined,
): void {
  const file = join(root, "services", service, "behaviour");
  if (behaviour === undefined) rmSync(file, { force: true });
  else writeFileSync(file, behaviour);
}

export type Start = {
  readonly child: ChildProcess;
  /** Its stdout and stderr so far. */
  readonly output: () => string;
  /** Resolves once the output after `from` contains `text`; rejects with the output if the program ends first. */
  readonly prints: (text: string | RegExp, from?: number) => Promise<void>;
  /** The exit code, or the signal. */
  readonly exited: Promise<number | string>;
};

/** Starts a program and collects its output. */
function startProgram(
  command: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; detached: boolean },
): Start {
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  const listeners = new Set<() => void>();
  const append = (chunk: Buffer): void => {
    text += chunk.toString();
    for (const listener of listeners) listener();
  };
  child.stdout.on("data", append);
  child.stderr.on("data", append);
  const exited = new Promise<number | string>((resolve) => {
    child.once("close", (code, signal) => resolve(code ?? signal ?? "unknown"));
  });
  const prints = async (wanted: string | RegExp, from = 0): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        const printed = text.slice(from);
        if (typeof wanted === "string" ? !printed.includes(wanted) : !wanted.test(printed)) return;
        listeners.delete(check);
        resolve();
      };
      listeners.add(check);
      check();
      void exited.then((code) =>
        reject(new Error(`ended with ${code} before it printed ${wanted}:\n${text}`)),
      );
    });
  return { child, output: () => text, prints, exited };
}

/** Runs `npm start` or another script in a checkout; with `ownGroup` in its own process group, so that signals can reach it as from a terminal. */
export function npmStart(
  root: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
  ownGroup = false,
  script = "start",
): Start {
  const {
    DATABASE_URL: _db,
    NATS_URL: _nats,
    INIT_CWD: _cwd,
    TARSY_TIME_SCALE: _scale,
    ...others
  } = process.env;
  const keys = new Set(findKeys(others).map(({ variable }) => variable));
  const rest = Object.fromEntries(Object.entries(others).filter(([name]) => !keys.has(name)));
  return startProgram("npm", ["run", "--silent", script, "--", ...args], {
    cwd: root,
    env: { ...rest, ...anyPorts, ...env },
    detached: ownGroup,
  });
}
