import { Sender } from "ws";
import type { SessionEvent } from "#shared/contracts/session-event.ts";
import type { EVENTS_PURGED } from "#shared/database/events-purged.ts";
import type { StreamChunk } from "#shared/contracts/stream-chunk.ts";
import { wireEvent } from "#shared/contracts/wire-event.ts";

/** One message in its WebSocket frame. Encoded once and written unchanged to every client that gets the message. */
export type Frame = Buffer;

/** A stored event in its frame, with what the notifier has to know about it. */
export interface EventFrame {
  readonly frame: Frame;
  readonly seq: number;
  readonly dbEventId: number;
  /** The timeline event that it completes. */
  readonly completes: string | undefined;
}

/** Messages about one connection. Events and chunks, which go to many clients, have their own functions. */
export type ControlMessage =
  | { readonly type: "connection.established"; readonly connection_id: string }
  | { readonly type: "subscription.confirmed"; readonly channel: string; readonly after_seq?: number }
  | { readonly type: "catchup.overflow"; readonly channel: string; readonly has_more: true }
  | { readonly type: "pong" }
  | {
      readonly type: "error";
      readonly message: string;
      readonly channel?: string;
      /** Only for an error after which a client must do something else than usual. */
      readonly code?: typeof EVENTS_PURGED;
    };

const TEXT_OPCODE = 1;

export function controlFrame(message: ControlMessage): Frame {
  return Buffer.concat(frameParts(message));
}

/** A stored event as clients get it: the payload plus `seq` and `db_event_id`. */
export function eventFrame(event: SessionEvent): EventFrame {
  const { seq, db_event_id, payload } = event;
  const parts = frameParts(wireEvent(event));
  // Event frames are kept. In memory from Node's pool, each small one could keep a whole block of the pool alive.
  const frame = Buffer.allocUnsafeSlow(parts.reduce((sum, part) => sum + part.length, 0));
  let end = 0;
  for (const part of parts) end += part.copy(frame, end);
  const completes = payload.type === "timeline_event.completed" ? payload.event_id : undefined;
  return { frame, seq, dbEventId: db_event_id, completes };
}

export function chunkFrame(chunk: StreamChunk): Frame {
  return Buffer.concat(frameParts(chunk));
}

function frameParts(message: object): Buffer[] {
  const data = Buffer.from(JSON.stringify(message));
  return Sender.frame(data, { fin: true, mask: false, opcode: TEXT_OPCODE, readOnly: true, rsv1: false });
}
