import { Sender } from "ws";
import type { DIALECT_MESSAGES } from "#shared/contract-view/dialect-messages.ts";
import { knownPayload, type StoredEvent } from "#shared/contracts/session-event.ts";
import type { NOTIFIER_MESSAGES } from "#shared/contracts/socket-messages.ts";
import type { StreamChunk } from "#shared/contracts/stream-chunk.ts";
import type { LiveProgress } from "#shared/contracts/live-progress.ts";
import { wireEvent } from "#shared/contracts/wire-event.ts";
import type { Static } from "#shared/generated/typebox/typebox.mjs";

/** One message in its WebSocket frame. Encoded once and written unchanged to every client that gets the message. */
export type WebSocketFrame = Buffer;

/** A stored event in its frame, with what the notifier has to know about it. */
export interface EventFrame {
  readonly frame: WebSocketFrame;
  readonly seq: number;
  readonly dbEventId: number;
  /** The timeline event that it completes. */
  readonly completes: string | undefined;
}

type SentMessages = typeof NOTIFIER_MESSAGES;
type SentInDialect = typeof DIALECT_MESSAGES;

/** Messages about one connection, as their schemas say. Events and chunks, which go to many clients, have their own functions. */
export type ControlMessage = Readonly<
  | Static<SentMessages["connectionEstablished"]>
  | Static<SentMessages["subscriptionConfirmed"]>
  | Static<SentMessages["catchupOverflow"]>
  | Static<SentMessages["pong"]>
  | Static<SentMessages["error"]>
  | Static<SentInDialect["subscriptionError"]>
>;

const TEXT_OPCODE = 1;

export function controlFrame(message: ControlMessage): WebSocketFrame {
  return messageFrame(message);
}

/** A stored event as clients get it: the payload plus `seq` and `db_event_id`. */
export function eventFrame(event: StoredEvent): EventFrame {
  const { seq, db_event_id, payload } = event;
  const frame = keptFrame(wireEvent(event));
  const known = knownPayload(payload);
  const completes = known?.type === "timeline_event.completed" ? known.event_id : undefined;
  return { frame, seq, dbEventId: db_event_id, completes };
}

/** A message in a frame that is kept. From Node's pool, each small one could keep a whole block of the pool alive. */
export function keptFrame(message: object): WebSocketFrame {
  const parts = frameParts(message);
  const frame = Buffer.allocUnsafeSlow(parts.reduce((sum, part) => sum + part.length, 0));
  let end = 0;
  for (const part of parts) end += part.copy(frame, end);
  return frame;
}

/** The message in a frame. */
export function frameMessage(frame: WebSocketFrame): unknown {
  // RFC 6455, 5.2: a server's frame has its length in the second byte, or in the two or eight bytes that follow it.
  const length = frame[1];
  const start = length === 127 ? 10 : length === 126 ? 4 : 2;
  return JSON.parse(frame.toString("utf8", start));
}

/** A message that is sent once. */
export function messageFrame(message: object): WebSocketFrame {
  return Buffer.concat(frameParts(message));
}

export function chunkFrame(chunk: StreamChunk): WebSocketFrame {
  return messageFrame(chunk);
}

export function progressFrame(progress: LiveProgress): WebSocketFrame {
  return messageFrame(progress);
}

function frameParts(message: object): Buffer[] {
  const data = Buffer.from(JSON.stringify(message));
  return Sender.frame(data, { fin: true, mask: false, opcode: TEXT_OPCODE, readOnly: true, rsv1: false });
}
