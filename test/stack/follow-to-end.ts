import { once } from "node:events";
import { Type } from "typebox";
import { WebSocket } from "ws";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { until } from "../support/until.ts";

const parseMessage = compileParser(
  "socket message",
  Type.Object({ type: Type.String(), seq: Type.Optional(Type.Integer()) }, { additionalProperties: true }),
);

/** What a client received of a session over one or more connections. */
export interface Followed {
  /** The numbers of the stored events, in the order of arrival. */
  readonly seqs: readonly number[];
  readonly sockets: number;
}

const FOLLOW_MS = 300_000;

/** Follows a session to its end; after a broken connection it reconnects and subscribes with its last number. */
export async function followToEnd(ws: string, sessionId: string): Promise<Followed> {
  const seqs: number[] = [];
  let [ended, sockets] = [false, 0];
  const followOnce = async () => {
    const socket = new WebSocket(ws, { handshakeTimeout: 10_000 });
    socket.on("error", () => undefined);
    socket.on("message", (data: Buffer) => {
      const { type, seq } = parseMessage(JSON.parse(data.toString("utf8")));
      if (seq !== undefined && type !== "subscription.confirmed") seqs.push(seq);
      if (type === "session.completed" || type === "session.failed") ended = true;
      // The subscription was refused, for now: it is tried again on the next connection.
      if (ended || type === "error") socket.close();
    });
    socket.on("open", () => {
      sockets++;
      socket.send(
        JSON.stringify({ action: "subscribe", channel: `session:${sessionId}`, after_seq: seqs.at(-1) ?? 0 }),
      );
    });
    await once(socket, "close");
  };
  await until(
    `the end of session ${sessionId} on a socket`,
    async () => {
      await followOnce();
      return ended;
    },
    FOLLOW_MS,
  );
  return { seqs, sockets };
}
