import { fork } from "node:child_process";
import { join } from "node:path";
import { Pool } from "pg";
import { pino } from "pino";
import { openBus } from "#shared/bus/open-bus.ts";
import { openDatabase } from "#shared/database/connection/open-database.ts";
import { openLiveStreams } from "../../../services/executor/stream/live-streams.ts";
import { openEventPublisher } from "../../../services/executor/stream/publish-events.ts";
import { nextMessage } from "../support/next-message.ts";
import { pace, stamp } from "./pace.ts";
import { parseSenderTask, type SenderTask } from "./sender-task.ts";

/** Length of a token. Divides the longest chunk of an executor and the batches of NOTIFY, so that neither cuts a stamp. */
const TOKEN_CHARS = 64;

/** A numbered text of fixed length with its time of sending. */
function token(sequence: number): string {
  return stamp(sequence).padEnd(TOKEN_CHARS, "x");
}

/**
 * Sends tokens at a rate, in a process of its own, so that its CPU time can be measured. Arguments: the way to send, the URL
 * of Postgres and the URL of NATS. Its first message is the port of the server that it started for `plain`, else 0; it answers
 * every task with "sent".
 */
const [kind, postgresUrl = "", natsUrl = ""] = process.argv.slice(2);
const { signal } = new AbortController();
const log = pino({ level: "silent" });

/** Sends a token; the last function resolves once everything is sent. */
type Send = { readonly append: (text: string) => void; readonly finish: () => Promise<void> };

const BATCH_MS = 20;
/** A payload of NOTIFY is limited to less than 8,000 bytes. */
const BATCH_CHARS = Math.floor(7_000 / TOKEN_CHARS) * TOKEN_CHARS;

/** As an executor does: text that arrives while a flush is under way is joined to one chunk. */
async function asExecutor(): Promise<(task: SenderTask) => Send> {
  const bus = await openBus({ url: natsUrl, name: "bench-sender", log, signal });
  const db = await openDatabase({
    url: postgresUrl,
    applicationName: "bench-sender",
    poolSize: 1,
    log,
    signal,
  });
  return ({ sessionId, eventId }) => {
    const publisher = openEventPublisher({ db, bus, log, sessionId, isFirstOwner: true });
    const streams = openLiveStreams({ bus, sessionId, publisher });
    const stream = streams.open(eventId, 1);
    return {
      append: (text) => stream.append(text),
      finish: async () => {
        await stream.flush();
        await bus.flush();
        await streams[Symbol.asyncDispose]();
      },
    };
  };
}

/** As a system without a message bus does: text is collected for 20 ms and sent with NOTIFY. */
function byNotify(): () => Send {
  // One connection keeps the order.
  const database = new Pool({ connectionString: postgresUrl, max: 1 });
  return () => {
    let batch = "";
    let sent: Promise<unknown> = Promise.resolve();
    const flush = () => {
      for (; batch !== ""; batch = batch.slice(BATCH_CHARS)) {
        const payload = JSON.stringify({ type: "stream.chunk", delta: batch.slice(0, BATCH_CHARS) });
        sent = database.query("SELECT pg_notify('tokens', $1)", [payload]);
      }
    };
    const timer = setInterval(flush, BATCH_MS);
    return {
      append: (text) => void (batch += text),
      finish: async () => {
        clearInterval(timer);
        flush();
        await sent;
      },
    };
  };
}

/** Without a bus, bounds or checks: each token is passed to a server that writes it to all clients in a loop. */
async function toPlainServer(): Promise<{ port: number; start: (task: SenderTask) => Send }> {
  const server = fork(join(import.meta.dirname, "plain-ws-server.ts"));
  const port = Number(await nextMessage(server, "the plain server"));
  const start = ({ sessionId, eventId }: SenderTask): Send => {
    let offset = 0;
    const ids = { type: "stream.chunk", session_id: sessionId, event_id: eventId, attempt: 1 };
    return {
      append: (delta) => {
        server.send(JSON.stringify({ ...ids, offset, delta, timestamp: new Date().toISOString() }));
        offset += delta.length;
      },
      finish: () => Promise.resolve(),
    };
  };
  return { port, start };
}

async function open(): Promise<{ port: number; start: (task: SenderTask) => Send }> {
  if (kind === "executor") return { port: 0, start: await asExecutor() };
  if (kind === "notify") return { port: 0, start: byNotify() };
  return toPlainServer();
}

const { port, start } = await open();
process.on("message", (message) => {
  const task = parseSenderTask(message);
  const { append, finish } = start(task);
  let sequence = 0;
  const seconds = task.tokens / task.perSecond;
  void pace({ perSecond: task.perSecond, seconds, signal }, () => append(token(sequence++)))
    .then(finish)
    .then(() => process.send?.("sent"));
});
process.on("disconnect", () => process.exit());
process.send?.(port);
