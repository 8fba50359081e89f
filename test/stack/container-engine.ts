import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { errorMessage } from "#shared/errors.ts";

const ROOT = join(import.meta.dirname, "../..");
const COMPOSE_VERSION = "1.6.0";
/** Where `npm run test:stack` installs podman-compose: distributions package older versions. */
const COMPOSE_DIR = join(ROOT, ".tarsy/tools/podman-compose");
const INSTALL_HINT = `install podman >= 4.3, with netavark, aardvark-dns and catatonit, and Python 3 with pip (Debian: apt-get install --no-install-recommends podman runc netavark aardvark-dns catatonit iptables debootstrap python3-pip)`;

const run = promisify(execFile);

/** Runs podman and podman-compose in the environment that they need on this machine. */
export interface ContainerEngine {
  /** Resolves with the standard output; rejects with the end of stderr unless the exit code is 0. */
  podman(...args: string[]): Promise<string>;
  compose(...args: string[]): Promise<string>;
  /** Runs another program, by its path in the checkout; resolves and rejects in the same way. */
  run(program: string, ...args: string[]): Promise<string>;
  /** The last 20 lines of a container's stdout and stderr. */
  logs(container: string): Promise<string>;
}

/** No usable container engine: `missing` if it can be installed, `forbidden` if it cannot run containers here. */
export class NoEngineError extends Error {
  readonly reason: "missing" | "forbidden";

  constructor(reason: "missing" | "forbidden", message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The environment variables for podman and its clients on this machine. */
export function podmanEnvironment(): NodeJS.ProcessEnv {
  const systemd = existsSync("/run/systemd/system");
  return {
    ...process.env,
    // Only Docker's image format has health checks. Without intermediate layers none are left behind.
    BUILDAH_FORMAT: "docker",
    BUILDAH_LAYERS: "false",
    PYTHONPATH: COMPOSE_DIR,
    ...(systemd ? {} : { CONTAINERS_CONF: join(ROOT, "deploy/containers.conf") }),
  };
}

async function execute(command: string, args: readonly string[]): Promise<string> {
  try {
    const options = { env: podmanEnvironment(), cwd: ROOT, maxBuffer: 64 * 1024 * 1024, timeout: 900_000 };
    return (await run(command, args, options)).stdout;
  } catch (error) {
    const stderr = error instanceof Error && "stderr" in error ? String(error.stderr) : "";
    throw new Error(`${command} ${args.join(" ")}: ${stderr.trim().slice(-2_000) || errorMessage(error)}`, {
      cause: error,
    });
  }
}

async function installCompose(): Promise<void> {
  if (existsSync(join(COMPOSE_DIR, "podman_compose.py"))) return;
  const target = ["--target", COMPOSE_DIR, `podman-compose==${COMPOSE_VERSION}`];
  await execute("python3", ["-m", "pip", "install", "--quiet", ...target]);
}

/**
 * Finds the container engine of this machine and runs one container with it.
 * @throws NoEngineError naming what to install, or why a container cannot run.
 */
export async function findEngine(): Promise<ContainerEngine> {
  const podman = async (...args: string[]) => execute("podman", args);
  try {
    await podman("--version");
    await installCompose();
  } catch (error) {
    throw new NoEngineError("missing", `${INSTALL_HINT}: ${errorMessage(error)}`);
  }
  try {
    await execute("deploy/local-images.sh", []);
    const image = (await execute("deploy/local-images.sh", ["--list"])).split("\n")[0] ?? "";
    await podman("network", "create", "tarsy-probe");
    try {
      await podman("run", "--rm", "--network", "tarsy-probe", image, "node", "--version");
    } finally {
      await podman("network", "rm", "tarsy-probe");
    }
  } catch (error) {
    throw new NoEngineError("forbidden", `podman cannot run a container here: ${errorMessage(error)}`);
  }
  return {
    podman,
    compose: async (...args) => execute("python3", ["-m", "podman_compose", ...args]),
    run: async (program, ...args) => execute(program, args),
    logs: async (container) => {
      const { stdout, stderr } = await run("podman", ["logs", "--tail", "20", container], {
        env: podmanEnvironment(),
      });
      return `${stdout}${stderr}`;
    },
  };
}
