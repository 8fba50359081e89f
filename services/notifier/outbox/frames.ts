import { Sender } from "ws";
import type { SessionEvent } from "#shared/contracts/session-event.ts";
import type { StreamChunk } from "#shared/contracts/stream-chunk.ts";
import { wireEvent } from "#shared/contracts/wire-event.ts";

/** One message in its WebSocket frame. Encoded once and written unchanged to every client that gets the message. */
export type Frame = Buffer;

/** Messages about one connection. Events and chunks, which go to many clients, have their own functions. */
export type ControlMessage =
  | { readonly type: "connection.established"; readonly connection_id: string }
  | { readonly type: "subscription.confirmed"; readonly channel: string; readonly after_seq?: number }
  | { readonly type: "catchup.overflow"; readonly channel: string; readonly has_more: true }
  | { readonly type: "pong" }
  | { readonly type: "error"; readonly message: string; readonly channel?: string };

const TEXT_OPCODE = 1;

export function controlFrame(message: ControlMessage): Frame {
  return textFrame(message);
}

/** A stored event as clients get it: the payload plus `seq` and `db_event_id`. */
export function eventFrame(event: SessionEvent): Frame {
  return textFrame(wireEvent(event));
}

export function chunkFrame(chunk: StreamChunk): Frame {
  return textFrame(chunk);
}

function textFrame(message: object): Frame {
  const data = Buffer.from(JSON.stringify(message));
  return Buffer.concat(
    Sender.frame(data, { fin: true, mask: false, opcode: TEXT_OPCODE, readOnly: true, rsv1: false }),
  );
}
