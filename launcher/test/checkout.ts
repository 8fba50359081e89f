import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stampInstalled } from "../installed-packages.mjs";
import { projectRoot } from "../prepare.mjs";
import { projectPaths } from "../project-paths.ts";

/** The services' names. */
export const services = ["tool-runner", "llm-gateway", "executor", "notifier", "api"] as const;

/** Ports that no other start on this machine is using. */
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

/** Makes a checkout at `root` whose launcher is the real one and whose services are stand-ins. */
export function makeCheckout(root: string): void {
  const link = (path: string): void => symlinkSync(join(projectRoot, path), join(root, path));
  cpSync(join(projectRoot, "launcher"), join(root, "launcher"), { recursive: true });
  cpSync(join(projectRoot, "package-lock.json"), join(root, "package-lock.json"));
  cpSync(join(projectRoot, "package.json"), join(root, "package.json"));
  link("shared");
  link("deploy");
  mkdirSync(join(root, "node_modules"));
  for (const name of readdirSync(join(projectRoot, "node_modules"))) {
    // Not ours to share: what is installed here is for this checkout to note.
    if (name !== ".tarsy-stamp" && name !== ".package-lock.json") link(join("node_modules", name));
  }
  stampInstalled(root);
  mkdirSync(join(root, ".tarsy"));
  mkdirSync(projectPaths(projectRoot).tools, { recursive: true });
  symlinkSync(projectPaths(projectRoot).tools, projectPaths(root).tools);
  for (const service of services) {
    const folder = join(root, "services", service);
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, "main.ts"),
      `import ${JSON.stringify(join(root, "launcher/test/stand-in-service.ts"))};\n`,
    );
  }
}

/** Tells a stand-in how to misbehave from its next start on; nothing makes it behave again. */
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
  /** Everything it has said so far, on both channels. */
  readonly output: () => string;
  /** Settles once it has said `text`; rejects with everything it said when it ends without. */
  readonly says: (text: string | RegExp) => Promise<void>;
  /** The exit code, or the signal. */
  readonly exited: Promise<number | string>;
};

/** Starts a program and listens to it. */
export function startProgram(
  command: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; detached: boolean },
): Start {
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  const listeners = new Set<() => void>();
  const hear = (chunk: Buffer): void => {
    text += chunk.toString();
    for (const listener of listeners) listener();
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  const exited = new Promise<number | string>((resolve) => {
    child.once("close", (code, signal) => resolve(code ?? signal ?? "unknown"));
  });
  const says = async (wanted: string | RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (typeof wanted === "string" ? !text.includes(wanted) : !wanted.test(text)) return;
        listeners.delete(look);
        resolve();
      };
      listeners.add(look);
      look();
      void exited.then((code) => reject(new Error(`ended with ${code} before it said ${wanted}:\n${text}`)));
    });
  return { child, output: () => text, says, exited };
}

/** `npm start` in a checkout, as a user types it; with `ownGroup` a signal can reach it as a terminal's does. */
export function npmStart(
  root: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
  ownGroup = false,
): Start {
  const { GOOGLE_API_KEY: _key, DATABASE_URL: _db, NATS_URL: _nats, INIT_CWD: _cwd, ...rest } = process.env;
  return startProgram("npm", ["start", "--silent", "--", ...args], {
    cwd: root,
    env: { ...rest, ...anyPorts, ...env },
    detached: ownGroup,
  });
}
