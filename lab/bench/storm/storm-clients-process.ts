import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { FrameReader } from "./frame-reader.ts";
import { parseClientsTask, type ClientsReport } from "./storm-task.ts";

/**
 * Many WebSocket clients in a separate process, so that they do not share an event loop with the measured server. Sends
 * "ready", connects all of them at once on "go", sends "open" when all are connected, and "whole" when every client has
 * its history. Answers "take" with its report.
 */
const task = parseClientsTask(JSON.parse(process.argv[2] ?? ""));
const report: { -readonly [K in keyof ClientsReport]: ClientsReport[K] } = {
  whole: 0,
  whole_at_ns: 0,
  events: 0,
  bytes: 0,
  misplaced: 0,
  lost: 0,
};
const REQUEST = [
  "GET /ws HTTP/1.1",
  "Host: localhost",
  "Upgrade: websocket",
  "Connection: Upgrade",
  `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
  "Sec-WebSocket-Version: 13",
].join("\r\n");
let opened = 0;

function maskedText(text: string): Buffer {
  const data = Buffer.from(text);
  // A mask of zeros leaves the text as it is.
  return Buffer.concat([Buffer.from([0x81, 0x80 | data.length, 0, 0, 0, 0]), data]);
}

function open(index: number): void {
  const socket = connect(task.port, "127.0.0.1");
  socket.setNoDelay(true);
  socket.write(`${REQUEST}\r\n\r\n`);
  socket.on("error", () => undefined); // followed by close
  socket.on("close", () => (report.lost += 1));
  let last = 0;
  const reader = new FrameReader((seq) => {
    report.events += 1;
    if (seq !== last + 1) report.misplaced += 1;
    last = seq;
    if (seq !== task.through) return;
    report.whole += 1;
    if (report.whole < task.clients) return;
    report.whole_at_ns = Number(process.hrtime.bigint());
    process.send?.("whole");
  });
  let answer: string | undefined = "";
  socket.on("data", (data) => {
    report.bytes += data.length;
    if (answer === undefined) return reader.read(data);
    answer += data.toString("latin1");
    const end = answer.indexOf("\r\n\r\n");
    if (end < 0) return;
    const frames = Buffer.from(answer.slice(end + 4), "latin1");
    answer = undefined;
    const channel = task.channels[index % task.channels.length];
    if (channel !== undefined) {
      socket.write(maskedText(JSON.stringify({ action: "subscribe", channel, after_seq: 0 })));
    }
    opened += 1;
    if (opened === task.clients) process.send?.("open");
    reader.read(frames);
  });
}

process.on("message", (message) => {
  if (message === "go") for (let index = 0; index < task.clients; index += 1) open(index);
  else if (message === "take") process.send?.(report);
});
process.on("disconnect", () => process.exit());
process.send?.("ready");
