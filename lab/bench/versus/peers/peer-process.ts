import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { Type } from "typebox";
import { compileParser } from "../../../../shared/contracts/compile-parser.ts";
import type { StartPeer } from "./peer.ts";

/**
 * A job queue behind the same HTTP route as our api, so that every compared system gets its work from the same clients.
 * Arguments: the queue's name, the URL of Postgres and the number of concurrent jobs. Sends its port once it is ready, and
 * answers any message with the starts of handlers since the last one: pairs of the id and nanoseconds of the machine's
 * monotonic clock.
 */
const [name = "", databaseUrl = "", slots = ""] = process.argv.slice(2);

const PEERS: ReadonlyMap<string, () => Promise<StartPeer>> = new Map([
  ["graphile-worker", async () => (await import("./graphile-worker.ts")).startGraphileWorker],
  ["pg-boss", async () => (await import("./pg-boss.ts")).startPgBoss],
  ["BullMQ", async () => (await import("./bullmq.ts")).startBullMq],
]);
const parseAlert = compileParser("alert", Type.Object({ data: Type.String() }));

let starts: [string, number][] = [];
const load = PEERS.get(name);
if (load === undefined) throw new Error(`no queue "${name}"`);
const start = await load();
const peer = await start({
  databaseUrl,
  slots: Number(slots),
  handle: (id) => void starts.push([id, Number(process.hrtime.bigint())]),
});

async function accept(body: string): Promise<string> {
  const { data } = parseAlert(JSON.parse(body));
  const id = randomUUID();
  await peer.enqueue(id, data);
  return JSON.stringify({ session_id: id });
}

const server = createServer((request, response) => {
  text(request)
    .then(accept)
    .then(
      (answer) => response.writeHead(202, { "content-type": "application/json" }).end(answer),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
});
process.on("message", () => {
  process.send?.(starts);
  starts = [];
});
process.on("disconnect", () => process.exit());
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.(address !== null && typeof address === "object" ? address.port : 0);
});
