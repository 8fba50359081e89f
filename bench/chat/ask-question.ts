import { once } from "node:events";
import { Type } from "typebox";
import { WebSocket } from "ws";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const parseMessage = compileParser(
  "message of the notifier",
  Type.Object(
    { type: Type.String(), stage_id: Type.Optional(Type.String()), status: Type.Optional(Type.String()) },
    { additionalProperties: true },
  ),
);
const parseAsked = compileParser(
  "accepted question",
  Type.Object({ stage_id: Type.String() }, { additionalProperties: true }),
);

const ANSWER_MS = 60_000;

interface Addresses {
  readonly api: string;
  readonly ws: string;
}

/**
 * Asks about a session that has ended and follows the answer to its end. Resolves with the milliseconds from writing the request
 * until the first chunk of the answer has arrived. Throws if the answer is refused, fails or does not end within a minute.
 */
export async function askQuestion({ api, ws }: Addresses, sessionId: string): Promise<number> {
  const socket = new WebSocket(ws);
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const confirmed = Promise.withResolvers<void>();
  ended.catch(() => undefined); // awaited below
  const timer = setTimeout(() => reject(new Error(`no answer about ${sessionId}`)), ANSWER_MS);
  let firstChunkAt: number | undefined;
  let stageId: string | undefined;
  const statuses = new Map<string, string>();
  const check = () => {
    const status = stageId === undefined ? undefined : statuses.get(stageId);
    if (status === "completed") resolve();
    else if (status !== undefined) reject(new Error(`the answer about ${sessionId} is ${status}`));
  };
  socket.on("error", reject);
  socket.on("message", (data: Buffer) => {
    const { type, stage_id, status = "" } = parseMessage(JSON.parse(data.toString("utf8")));
    if (type === "stream.chunk") firstChunkAt ??= performance.now();
    if (type === "subscription.confirmed") confirmed.resolve();
    if (type === "stage.completed" && stage_id !== undefined) {
      statuses.set(stage_id, status);
      check();
    }
  });
  try {
    await once(socket, "open");
    socket.send(JSON.stringify({ action: "subscribe", channel: `session:${sessionId}` }));
    await Promise.race([confirmed.promise, ended]);
    const askedAt = performance.now();
    const response = await fetch(`${api}/api/v1/sessions/${sessionId}/chat/messages`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ content: "Is it still so?" }),
    });
    const body = await response.text();
    if (response.status !== 202) throw new Error(`question not accepted: ${response.status} ${body}`);
    stageId = parseAsked(JSON.parse(body)).stage_id;
    check();
    await ended;
    if (firstChunkAt === undefined) throw new Error(`the answer about ${sessionId} was not streamed`);
    return firstChunkAt - askedAt;
  } finally {
    clearTimeout(timer);
    socket.terminate();
  }
}
