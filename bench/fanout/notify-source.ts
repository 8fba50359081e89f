import { Pool } from "pg";
import type { BackingServers } from "../../test/support/backing-servers.ts";
import type { Source } from "./measure-fanout.ts";
import { Watchers } from "./watchers.ts";
import type { WsProcess } from "./ws-process.ts";

const BATCH_MS = 20;
/** A payload of NOTIFY is limited to less than 8,000 bytes. */
const MAX_BATCH_CHARS = 7_000;

/** Collects tokens for 20 ms and sends them with NOTIFY, as a system without a message bus would. */
export async function notifySource(
  servers: BackingServers,
  relay: WsProcess,
  count: number,
): Promise<Source & AsyncDisposable> {
  const watchers = await Watchers.start(relay.port, count);
  // One connection keeps the order.
  const database = new Pool({ connectionString: servers.postgres.url, max: 1 });
  let batch = "";
  const flush = () => {
    for (; batch !== ""; batch = batch.slice(MAX_BATCH_CHARS)) {
      const payload = JSON.stringify({ type: "stream.chunk", delta: batch.slice(0, MAX_BATCH_CHARS) });
      void database.query("SELECT pg_notify('tokens', $1)", [payload]);
    }
  };
  const timer = setInterval(flush, BATCH_MS);
  return {
    watchers,
    pids: [relay.pid, servers.postgres.pid],
    send: (text) => (batch += text),
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await database.end();
      await watchers[Symbol.asyncDispose]();
    },
  };
}
