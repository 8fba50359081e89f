import { type Environment, envPort } from "#shared/service/environment.ts";
import { errorMessage } from "#shared/errors.ts";
import { freePort, listenErrorCode } from "./free-port.ts";
import { LaunchError } from "./launch-error.ts";
import { portHolder } from "./port-holder.ts";

/** Port by variable name; no port occurs twice. */
export type Ports = ReadonlyMap<string, number>;

/** Clients and services connect to these ports, so a port that is in use is an error. */
const mainPorts = { API_PORT: 8080, NOTIFIER_PORT: 8081, LLM_GATEWAY_PORT: 50_051 };

const healthPorts = {
  API_HEALTH_PORT: 8090,
  EXECUTOR_HEALTH_PORT: 8091,
  LLM_GATEWAY_HEALTH_PORT: 8092,
  TOOL_RUNNER_HEALTH_PORT: 8093,
  NOTIFIER_HEALTH_PORT: 8094,
};

function readPort(env: Environment, name: string, fallback: number): number {
  try {
    return envPort(env, name, fallback);
  } catch (error) {
    throw new LaunchError(`${errorMessage(error)}.`, { cause: error });
  }
}

function portError(name: string, port: number, host: string, obstacle: string): LaunchError {
  const remedy = `set ${name} to another port (0 takes any free one)`;
  if (obstacle === "EADDRINUSE") {
    const holder = portHolder(port);
    return new LaunchError(
      `Port ${port} (${name}) is taken${holder === undefined ? "" : ` by ${holder}`}; stop that or ${remedy}.`,
    );
  }
  if (obstacle === "EADDRNOTAVAIL" || obstacle === "ENOTFOUND") {
    return new LaunchError(
      `BIND_ADDRESS is ${host}, which is not an address of this machine (${obstacle}); use 127.0.0.1 or 0.0.0.0.`,
    );
  }
  return new LaunchError(`Port ${port} (${name}) cannot be opened on ${host} (${obstacle}); ${remedy}.`);
}

async function freePortBeside(host: string, taken: ReadonlyMap<string, number>): Promise<number> {
  const used = new Set(taken.values());
  for (;;) {
    const port = await freePort(host);
    if (!used.has(port)) return port;
  }
}

/**
 * Chooses every port before anything starts. A main port must be free; a default health port that is in use is replaced.
 * @param host the interface, BIND_ADDRESS
 * @throws LaunchError naming the variable, the port and the process that listens on it.
 */
export async function choosePorts(env: Environment, host: string): Promise<Ports> {
  const ports = new Map<string, number>();
  for (const [name, fallback] of Object.entries({ ...mainPorts, ...healthPorts })) {
    const requested = readPort(env, name, fallback);
    const duplicate = requested === 0 ? undefined : [...ports].find(([, port]) => port === requested)?.[0];
    const obstacle =
      requested === 0 || duplicate !== undefined ? undefined : await listenErrorCode(host, requested);
    const isReplaceable = name in healthPorts && (env[name] ?? "") === "";
    if (requested !== 0 && duplicate === undefined && obstacle === undefined) {
      ports.set(name, requested);
    } else if (requested === 0 || isReplaceable) {
      ports.set(name, await freePortBeside(host, ports));
    } else if (duplicate !== undefined) {
      throw new LaunchError(`${name} and ${duplicate} are both ${requested}; give each a port of its own.`);
    } else {
      throw portError(name, requested, host, obstacle ?? "unknown");
    }
  }
  return ports;
}
