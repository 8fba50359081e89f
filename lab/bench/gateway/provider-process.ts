import { createServer } from "node:http";
import { setImmediate } from "node:timers/promises";
import { listen } from "#shared/service/listen.ts";

/**
 * A fake Gemini in a separate process, so that its CPU time is not counted. The model name `bench-<chunks>-<end>-<id>`
 * selects the answer: that many chunks of 32 characters, each written separately, then the end of the answer (`end`) or
 * an open response (`hold`). Sends its parent the port, and for each `hold` answer the time when its socket closed.
 */
const MODEL = /models\/bench-(?<chunks>\d+)-(?<end>end|hold)-(?<id>\d+):/u;
const chunk = (text: string, rest: object = {}): string =>
  `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ text }], role: "model" }, index: 0, ...rest }], modelVersion: "bench" })}\r\n\r\n`;
/** Numbered, because the gateway ends an answer that repeats itself. */
const PIECES = Array.from({ length: 1_000 }, (_, n) =>
  chunk(`piece ${String(n).padStart(4, "0")} holds 32 characters. `),
);
const LAST = chunk("", { finishReason: "STOP" });

const sendToParent = (message: object): void => void process.send?.(message);

const server = createServer((request, response) => {
  const { chunks, end, id } = MODEL.exec(request.url ?? "")?.groups ?? {};
  if (end === "hold") {
    response.once("close", () =>
      sendToParent({ kind: "closed", id: Number(id), at: performance.timeOrigin + performance.now() }),
    );
  }
  request.resume().once("end", () => void answer());
  const answer = async (): Promise<void> => {
    response.socket?.setNoDelay(true);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let count = Number(chunks); count > 0; count -= 1) {
      response.write(PIECES[count % PIECES.length]);
      await setImmediate();
    }
    if (end === "end") response.end(LAST);
  };
});
// Consecutive calls must be able to reuse their connection.
server.keepAliveTimeout = 60_000;
process.once("disconnect", () => process.exit());
await listen(server, { host: "127.0.0.1", port: 0 });
const address = server.address();
sendToParent({ kind: "listening", port: address !== null && typeof address === "object" ? address.port : 0 });
