import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Socket } from "node:net";
import { connect, type ConnectionOptions, type NatsConnection } from "nats";
import { untilAborted } from "#shared/until-aborted.ts";

/** Node's own channel on which every new client socket is reported. */
const SOCKETS = "net.client.socket";

/** The time for a host name with several addresses, which the client tries one after another, and for a slow name server. */
const LIMIT_MS = 10_000;

/**
 * Connects once to one server. The connection never reconnects by itself. If the dial fails, takes longer than
 * 10 s or `signal` aborts, every socket that it opened is destroyed before this rejects.
 *
 * The client (nats 2.29) does not close the socket of a dial that timed out before the server's greeting. That socket
 * would stay open for as long as the server is silent, so the sockets are collected here.
 */
export async function dialNats(options: ConnectionOptions, signal: AbortSignal): Promise<NatsConnection> {
  const ours = new AsyncLocalStorage<true>();
  const sockets: Socket[] = [];
  let isGivenUp = false;
  const collect = (report: unknown) => {
    if (ours.getStore() === undefined) return;
    const socket = reportedSocket(report);
    if (socket === undefined) return;
    if (isGivenUp) socket.destroy();
    else sockets.push(socket);
  };
  subscribe(SOCKETS, collect);
  const dialing = ours.run(true, () => connect({ ...options, reconnect: false, noAsyncTraces: true }));
  const stopCollecting = () => unsubscribe(SOCKETS, collect);
  dialing.then(stopCollecting, stopCollecting);
  try {
    const connection = await untilAborted(dialing, AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]));
    // The last socket is the connection's; earlier ones belong to addresses that did not answer.
    const socket = sockets.pop();
    for (const unused of sockets) unused.destroy();
    if (socket !== undefined) joinWrites(socket);
    return connection;
  } catch (error) {
    isGivenUp = true;
    for (const socket of sockets) socket.destroy();
    dialing.then(
      (late) => late.close(),
      () => undefined,
    );
    throw error;
  }
}

/**
 * Sends in one write what is written in one turn of the event loop. The client writes after each microtask that publishes,
 * which is more than twice as often in an executor with 20 running sessions.
 */
function joinWrites(socket: Socket): void {
  const write = socket.write.bind(socket);
  socket.write = (...args: unknown[]) => {
    if (socket.writableCorked === 0) {
      socket.cork();
      setImmediate(() => socket.uncork());
    }
    return Boolean(Reflect.apply(write, undefined, args));
  };
}

function reportedSocket(report: unknown): Socket | undefined {
  if (typeof report !== "object" || report === null || !("socket" in report)) return undefined;
  return report.socket instanceof Socket ? report.socket : undefined;
}
