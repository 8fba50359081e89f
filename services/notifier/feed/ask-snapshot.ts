import type { Bus } from "#shared/bus/open-bus.ts";
import { request } from "#shared/bus/request.ts";
import { snapshotReplyCodec, snapshotRequestCodec } from "#shared/contracts/stream-snapshot.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { RetryableError, errorMessage } from "#shared/errors.ts";
import type { NotifierMetrics } from "../notifier-metrics.ts";

/** Part of an open event's text; offsets and lengths in UTF-16 units. */
export interface StreamPiece {
  readonly attempt: number;
  /** Where `text` begins. */
  readonly offset: number;
  readonly text: string;
  /** Length of the whole text so far. */
  readonly length: number;
}

/**
 * Asks for an open event's text from `offset` on. Resolves undefined when nobody streams it: its text then comes
 * with its completion. Never rejects.
 */
export type AskSnapshot = (eventId: string, offset: number) => Promise<StreamPiece | undefined>;

const ANSWER_TIMEOUT_MS = 2_000;
const CONTRACT = { request: snapshotRequestCodec, reply: snapshotReplyCodec };

/** The way to the executor that streams `sessionId`. */
export function snapshotAsker(bus: Bus, sessionId: string, metrics: NotifierMetrics): AskSnapshot {
  return async (eventId, offset) => {
    try {
      const reply = await request(
        bus,
        SUBJECTS.snapshot(sessionId),
        CONTRACT,
        { event_id: eventId, offset },
        ANSWER_TIMEOUT_MS,
      );
      const piece = reply.streams.find((stream) => stream.event_id === eventId);
      metrics.snapshots.inc({ outcome: piece === undefined ? "not_streaming" : "answered" });
      return piece;
    } catch (error) {
      metrics.snapshots.inc({ outcome: error instanceof RetryableError ? error.code : "error" });
      // No answer is an ordinary state: the session waits for an owner, or its stream has just ended.
      if (!(error instanceof RetryableError)) {
        bus.log.warn({ session_id: sessionId, error: errorMessage(error) }, "snapshot unusable");
      }
      return undefined;
    }
  };
}
