import type { Bus } from "#shared/bus/open-bus.ts";
import { request } from "#shared/bus/request.ts";
import { snapshotReplyCodec, snapshotRequestCodec } from "#shared/contracts/stream-chunk.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { RetryableError, errorMessage } from "#shared/errors.ts";
import type { NotifierMetrics } from "../notifier-metrics.ts";

/** Part of an open event's text; offsets and lengths in UTF-16 code units. */
interface TextSnapshot {
  readonly attempt: number;
  /** The offset at which `text` begins. */
  readonly offset: number;
  readonly text: string;
  /** Length of the whole text so far. */
  readonly length: number;
  readonly repeated: boolean;
}

/**
 * Requests an open event's text from `offset` on. Resolves undefined if no executor streams the event; the completed
 * event then carries the text. Never rejects.
 */
export type AskSnapshot = (eventId: string, offset: number) => Promise<TextSnapshot | undefined>;

const REPLY_TIMEOUT_MS = 2_000;
const CONTRACT = { request: snapshotRequestCodec, reply: snapshotReplyCodec };

/** Sends snapshot requests to the executor that streams `sessionId`. */
export function snapshotAsker(bus: Bus, sessionId: string, metrics: NotifierMetrics): AskSnapshot {
  return async (eventId, offset) => {
    try {
      const reply = await request(
        bus,
        SUBJECTS.snapshot(sessionId),
        CONTRACT,
        { event_id: eventId, offset },
        REPLY_TIMEOUT_MS,
      );
      const snapshot = reply.streams.find((stream) => stream.event_id === eventId);
      metrics.snapshots.inc({ outcome: snapshot === undefined ? "not_streaming" : "answered" });
      return snapshot;
    } catch (error) {
      metrics.snapshots.inc({ outcome: error instanceof RetryableError ? error.code : "error" });
      // No reply is normal: the session waits for an executor, or its stream has just ended.
      if (!(error instanceof RetryableError)) {
        bus.log.warn({ session_id: sessionId, error: errorMessage(error) }, "snapshot request failed");
      }
      return undefined;
    }
  };
}
