import {
  MAX_SNAPSHOT_TEXT_CODE_UNITS,
  type SnapshotReply,
  type SnapshotRequest,
} from "#shared/contracts/stream-chunk.ts";
import { safeCut } from "#shared/safe-cut.ts";
import type { LiveStreams } from "./live-streams.ts";

/**
 * The text so far of a session's open events, for a notifier that starts to follow them and gets their chunks from now on. The reply is limited to
 * MAX_SNAPSHOT_TEXT_CODE_UNITS in total; the notifier requests the rest by offset.
 */
export function answerSnapshot(
  sessionId: string,
  streams: LiveStreams,
  request: SnapshotRequest,
): SnapshotReply {
  streams.noticeReader();
  const requested = streams
    .all()
    .filter(({ eventId }) => request.event_id === undefined || request.event_id === eventId);
  const offset = request.event_id === undefined ? 0 : (request.offset ?? 0);
  let budget = MAX_SNAPSHOT_TEXT_CODE_UNITS;
  return {
    session_id: sessionId,
    streams: requested.map((stream) => {
      const rest = stream.text().slice(offset);
      const text = rest.slice(0, safeCut(rest, budget));
      budget -= text.length;
      const { eventId: event_id, attempt, length, isRepeated: repeated } = stream;
      return { event_id, attempt, offset, text, length, repeated };
    }),
  };
}
