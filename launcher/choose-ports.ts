import { type Environment, envPort } from "#shared/environment.ts";
import { errorMessage } from "#shared/errors.ts";
import { freePort, portObstacle } from "./free-port.ts";
import { LaunchError } from "./launch-error.ts";
import { portHolder } from "./port-holder.ts";

/** By variable; every one a real port, none twice. */
export type Ports = ReadonlyMap<string, number>;

/** What clients and the other services connect to: someone counts on the number, so it is never changed silently. */
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

function refusal(name: string, port: number, host: string, obstacle: string): LaunchError {
  const remedy = `set ${name} to another port (0 takes any free one)`;
  if (obstacle === "EADDRINUSE") {
    const holder = portHolder(port);
    return new LaunchError(
      `Port ${port} (${name}) is taken${holder === undefined ? "" : ` by ${holder}`}; stop that or ${remedy}.`,
    );
  }
  if (obstacle === "EADDRNOTAVAIL" || obstacle === "ENOTFOUND") {
    return new LaunchError(
      `BIND_ADDRESS is ${host}, which is no address of this machine (${obstacle}); use 127.0.0.1 or 0.0.0.0.`,
    );
  }
  return new LaunchError(`Port ${port} (${name}) cannot be opened on ${host} (${obstacle}); ${remedy}.`);
}

async function anotherPort(host: string, taken: ReadonlyMap<string, number>): Promise<number> {
  const used = new Set(taken.values());
  for (;;) {
    const port = await freePort(host);
    if (!used.has(port)) return port;
  }
}

/**
 * Fixes every port before anything starts. A main port must be free; a health port that nobody asked for gives way.
 * @param host the interface, BIND_ADDRESS
 * @throws LaunchError naming the variable, the port and who holds it.
 */
export async function choosePorts(env: Environment, host: string): Promise<Ports> {
  const ports = new Map<string, number>();
  for (const [name, fallback] of Object.entries({ ...mainPorts, ...healthPorts })) {
    const asked = readPort(env, name, fallback);
    const twin = asked === 0 ? undefined : [...ports].find(([, port]) => port === asked)?.[0];
    const obstacle = asked === 0 || twin !== undefined ? undefined : await portObstacle(host, asked);
    const mayMove = name in healthPorts && (env[name] ?? "") === "";
    if (asked !== 0 && twin === undefined && obstacle === undefined) {
      ports.set(name, asked);
    } else if (asked === 0 || mayMove) {
      ports.set(name, await anotherPort(host, ports));
    } else if (twin !== undefined) {
      throw new LaunchError(`${name} and ${twin} are both ${asked}; give each a port of its own.`);
    } else {
      throw refusal(name, asked, host, obstacle ?? "unknown");
    }
  }
  return ports;
}
