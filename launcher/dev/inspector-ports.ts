import { type Environment, envPort } from "#shared/service/environment.ts";
import { errorMessage } from "#shared/errors.ts";
import { freePort, listenErrorCode } from "../free-port.ts";
import { LaunchError } from "../launch-error.ts";

/** Inspectors listen on this address only, because a client of an inspector can run any code. */
export const INSPECTOR_HOST = "127.0.0.1";
/** The port where Node's own inspectors listen, and editors look first. */
const FIRST_PORT = 9229;
const LAST_PORT = 65_535;

/**
 * Chooses a port for the inspector of each process: the first free ones from INSPECT_PORT (default 9229), or any free ones if
 * that is 0.
 * @param names of the processes
 * @throws LaunchError naming the variable if its value is not a port.
 */
export async function chooseInspectorPorts(
  names: readonly string[],
  env: Environment,
): Promise<ReadonlyMap<string, number>> {
  const first = readFirst(env);
  const ports = new Map<string, number>();
  let next = first;
  for (const name of names) {
    if (first === 0) ports.set(name, await freePort(INSPECTOR_HOST));
    else {
      while ((await listenErrorCode(INSPECTOR_HOST, next)) !== undefined) {
        if (next >= LAST_PORT) throw new LaunchError(`No port from INSPECT_PORT (${first}) on is free.`);
        next += 1;
      }
      ports.set(name, next);
      next += 1;
    }
  }
  return ports;
}

function readFirst(env: Environment): number {
  try {
    return envPort(env, "INSPECT_PORT", FIRST_PORT);
  } catch (error) {
    throw new LaunchError(`${errorMessage(error)}.`, { cause: error });
  }
}
