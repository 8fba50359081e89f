import { createSocket } from "node:dgram";
import { once } from "node:events";
import { listenErrorCode } from "../../launcher/free-port.ts";

const HOST = "127.0.0.1";
/** Below the ports of `freePort` and of outgoing connections; above 10080, to which `fetch` refuses to connect. */
const FIRST = 10_100;
const SLICES = 16;
const SLICE_SIZE = 600;

/** Workers of one mocha run take their ports from different slices. */
const slice = FIRST + (Number(process.env["MOCHA_WORKER_ID"] ?? 0) % SLICES) * SLICE_SIZE;
let next = Math.floor(Math.random() * SLICE_SIZE);
/** The ports that this process keeps from others until it ends. */
const reserved = new Set<number>();

/**
 * A free TCP port of this machine for a service that is about to start. No other process gets it, of this run or of
 * another one on this machine, and this one only after several hundred others: services that start concurrently do not
 * collide.
 */
export async function testPort(): Promise<number> {
  for (let tries = 0; tries < SLICE_SIZE; tries += 1) {
    const port = slice + (next++ % SLICE_SIZE);
    if ((await reserve(port)) && (await listenErrorCode(HOST, port)) === undefined) return port;
  }
  throw new Error(`no free TCP port between ${slice} and ${slice + SLICE_SIZE - 1}`);
}

/** Reserves a port by the UDP port of the same number; false if another process has it. */
async function reserve(port: number): Promise<boolean> {
  if (reserved.has(port)) return true;
  const socket = createSocket("udp4").unref();
  try {
    socket.bind({ port, address: HOST, exclusive: true });
    await once(socket, "listening");
    reserved.add(port);
    return true;
  } catch {
    socket.close();
    return false;
  }
}
