import {
  MAX_SNAPSHOT_TEXT_CODE_UNITS,
  type SnapshotReply,
  type SnapshotRequest,
} from "#shared/contracts/stream-snapshot.ts";
import { safeCut } from "#shared/surrogate-guard.ts";
import type { LiveStreams } from "./live-streams.ts";

/** What a session's open events hold so far, for whoever joins in mid-stream. Bounded in all; the rest is asked for again. */
export function answerSnapshot(
  sessionId: string,
  streams: LiveStreams,
  request: SnapshotRequest,
): SnapshotReply {
  const wanted = streams
    .all()
    .filter(({ eventId }) => request.event_id === undefined || request.event_id === eventId);
  const offset = request.event_id === undefined ? 0 : (request.offset ?? 0);
  let budget = MAX_SNAPSHOT_TEXT_CODE_UNITS;
  return {
    session_id: sessionId,
    streams: wanted.map((stream) => {
      const rest = stream.text().slice(offset);
      const text = rest.slice(0, safeCut(rest, budget));
      budget -= text.length;
      return { event_id: stream.eventId, attempt: stream.attempt, offset, text, length: stream.length };
    }),
  };
}
