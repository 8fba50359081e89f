import { createServer } from "node:http";
import type { Duplex } from "node:stream";
import { pino } from "pino";
import { WebSocketServer } from "ws";
import { openDatabase } from "#shared/database/connection/open-database.ts";
import { readEvents } from "#shared/database/read-events.ts";
import { eventFrame, type WebSocketFrame } from "../../../services/notifier/outbox/frames.ts";
import { parsePlainTask } from "./storm-task.ts";

/**
 * Writes the stored events of the sessions to sockets that are connected already, when its parent says "go": the frames
 * of one session to each, in turn, made before and with one system call where possible. No bus, no queries, no bounds.
 */
const { databaseUrl, sessionIds } = parsePlainTask(JSON.parse(process.argv[2] ?? ""));
const db = await openDatabase({
  url: databaseUrl,
  applicationName: "tarsy-bench-plain",
  poolSize: 1,
  log: pino({ level: "silent" }),
  signal: new AbortController().signal,
});
const histories: WebSocketFrame[][] = [];
for (const sessionId of sessionIds) {
  const events = await readEvents(db, sessionId, { afterSeq: 0, limit: 100_000 });
  histories.push(events.map((event) => eventFrame(event).frame));
}
await db[Symbol.asyncDispose]();

const streams = new Set<Duplex>();
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, clientTracking: false });
const server = createServer();
server.on("upgrade", (request, stream, head) =>
  sockets.handleUpgrade(request, stream, head, () => {
    streams.add(stream);
    stream.on("close", () => streams.delete(stream));
  }),
);
process.on("message", (message) => {
  if (message !== "go") return;
  for (const [index, stream] of [...streams].entries()) {
    stream.cork();
    for (const frame of histories[index % histories.length] ?? []) stream.write(frame);
    stream.uncork();
  }
});
process.on("disconnect", () => process.exit());
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.(address !== null && typeof address === "object" ? address.port : 0);
});
