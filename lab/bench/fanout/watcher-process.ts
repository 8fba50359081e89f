import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { percentile } from "../support/percentile.ts";

/**
 * Many WebSocket clients in a separate process, so that they do not share an event loop with the measured server. Every
 * `@nanoseconds@` or `@nanoseconds#number@` in a received text is its time of sending by the machine's monotonic clock and its
 * number, from 0. Sends "ready" once all are connected (and subscribed), answers "count" with the number of received texts
 * since the last "take", and "take" with their latencies.
 */
const [port = 0, count = 0] = process.argv.slice(2, 4).map(Number);
const channel = process.argv[4];

const STAMP = /@(\d+)(?:#(\d+))?@/gu;
const LONGEST_STAMP = 40;
const CONCURRENT = 200;

let latencies: number[] = [];
let lastAt = 0;
/** Texts whose number does not follow the one before them on their socket. */
let misplaced = 0;

function maskedText(text: string): Buffer {
  const data = Buffer.from(text);
  const mask = randomBytes(4);
  const masked = data.map((byte, index) => byte ^ (mask[index % 4] ?? 0));
  return Buffer.concat([Buffer.from([0x81, 0x80 | data.length]), mask, masked]);
}

async function open(): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  const key = randomBytes(16).toString("base64");
  socket.write(
    `GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
  );
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  socket.on("error", reject);
  socket.on("close", () => reject(new Error("a watcher's connection was closed")));
  let greeting: string | undefined = "";
  let rest = "";
  let expected = 0;
  socket.on("data", (data) => {
    const text = rest + data.toString("latin1");
    if (greeting !== undefined) {
      const asked = greeting.includes("101 ");
      greeting += text;
      if (!asked && greeting.includes("101 ") && channel !== undefined) {
        socket.write(maskedText(JSON.stringify({ action: "subscribe", channel })));
      }
      const done = channel === undefined ? "101 " : "subscription.confirmed";
      if (!greeting.includes(done)) return;
      greeting = undefined;
      resolve(socket);
      return;
    }
    const now = Number(process.hrtime.bigint());
    let end = 0;
    for (const match of text.matchAll(STAMP)) {
      latencies.push((now - Number(match[1])) / 1e6);
      if (match[2] !== undefined) {
        if (Number(match[2]) !== expected) misplaced += 1;
        expected = Number(match[2]) + 1;
      }
      end = match.index + match[0].length;
    }
    lastAt = now;
    rest = text.slice(Math.max(end, text.length - LONGEST_STAMP));
  });
  return promise;
}

process.on("message", (message) => {
  if (message === "count") process.send?.({ count: latencies.length });
  if (message !== "take") return;
  const max_ms = latencies.reduce((most, value) => Math.max(most, value), 0);
  process.send?.({
    count: latencies.length,
    p50_ms: percentile(latencies, 0.5),
    p99_ms: percentile(latencies, 0.99),
    max_ms,
    last_at_ns: lastAt,
    misplaced,
  });
  latencies = [];
  misplaced = 0;
});
process.on("disconnect", () => process.exit());

for (let opened = 0; opened < count; opened += CONCURRENT) {
  await Promise.all(Array.from({ length: Math.min(CONCURRENT, count - opened) }, open));
}
process.send?.("ready");
