import { once } from "node:events";
import { connect as connectSocket } from "node:net";
import { connect as connectNats } from "nats";
import { parseNatsAddress } from "#shared/bus/nats-address.ts";
import { Client } from "pg";
import { percentile } from "../support/percentile.ts";

/**
 * Measures the physical limits in a process of its own when its parent sends anything, and answers with them. Arguments: the
 * URL of Postgres, the URL of NATS, the port of a server that only reads.
 */
const [postgresUrl = "", natsUrl = "", sinkPort = ""] = process.argv.slice(2);
const COMMITS = 100;
const PUBLISHES = 200;
const WRITES = 500;
const MESSAGE = Buffer.alloc(200, "x");

const database = new Client({ connectionString: postgresUrl });
await database.connect();
const nats = await connectNats(parseNatsAddress(natsUrl));
const socket = connectSocket(Number(sinkPort), "127.0.0.1");
socket.setNoDelay(true);
await once(socket, "connect");

async function measure(count: number, once_: () => Promise<unknown>): Promise<{ ms: number; cpuMs: number }> {
  const latencies = [];
  const before = process.cpuUsage();
  for (let index = 0; index < count; index++) {
    const startedAt = performance.now();
    await once_();
    latencies.push(performance.now() - startedAt);
  }
  const { user, system } = process.cpuUsage(before);
  return { ms: percentile(latencies, 0.5), cpuMs: (user + system) / 1_000 / count };
}

async function measureAll() {
  const commit = await measure(COMMITS, () =>
    database.query("SELECT pg_logical_emit_message(true, 'tarsy-bench', 'commit')"),
  );
  const publish = await measure(PUBLISHES, () => {
    nats.publish("bench.limit", MESSAGE);
    return nats.flush();
  });
  const write = await measure(WRITES, () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    socket.write(MESSAGE, () => resolve());
    return promise;
  });
  return {
    commit_ms: commit.ms,
    commit_cpu_ms: commit.cpuMs,
    publish_ms: publish.ms,
    publish_cpu_ms: publish.cpuMs,
    write_ms: write.ms,
    write_cpu_ms: write.cpuMs,
  };
}

process.on("message", () => void measureAll().then((limits) => process.send?.(limits)));
process.on("disconnect", () => process.exit());
process.send?.("ready");
