import { listenErrorCode } from "../../launcher/free-port.ts";

const HOST = "127.0.0.1";
/** Below the ports of `freePort` and of outgoing connections; above 10080, to which `fetch` refuses to connect. */
const FIRST = 10_100;
const SLICES = 16;
const SLICE_SIZE = 600;

/** Workers of one mocha run take their ports from different slices. */
const slice = FIRST + (Number(process.env["MOCHA_WORKER_ID"] ?? 0) % SLICES) * SLICE_SIZE;
let next = Math.floor(Math.random() * SLICE_SIZE);

/**
 * A free TCP port of this machine for a service that is about to start. No test of this run gets the same port until
 * several hundred others were returned, so that services that start concurrently do not collide.
 */
export async function testPort(): Promise<number> {
  for (let tries = 0; tries < SLICE_SIZE; tries += 1) {
    const port = slice + (next++ % SLICE_SIZE);
    if ((await listenErrorCode(HOST, port)) === undefined) return port;
  }
  throw new Error(`no free TCP port between ${slice} and ${slice + SLICE_SIZE - 1}`);
}
