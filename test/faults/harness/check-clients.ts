import { errorMessage } from "#shared/errors.ts";
import type { CheckedSession } from "./checked-session.ts";
import { finding } from "./finding.ts";
import type { EventRecorder, RecordedEvent } from "./event-recorder.ts";
import type { Finding } from "./scenario.ts";

/** Checks that every client received exactly the events that Postgres has of its sessions, in their order. */
export async function checkClients(
  recorders: readonly EventRecorder[],
  sessions: readonly CheckedSession[],
): Promise<Finding[]> {
  if (recorders.length === 0) return [];
  const late: string[] = [];
  const counts = new Map(sessions.map(({ session_id, last_seq }) => [session_id, last_seq]));
  await Promise.all(
    recorders.map((recorder) =>
      recorder.untilReceived(counts).catch((error: unknown) => late.push(errorMessage(error))),
    ),
  );
  const sessionOf = new Map(sessions.map((session) => [session.session_id, session]));
  const wrong: string[] = [];
  for (const { received } of recorders) {
    for (const [sessionId, events] of received) {
      const problem = compare(events, sessionOf.get(sessionId));
      if (problem !== undefined) wrong.push(`${sessionId}: ${problem}`);
    }
  }
  return [
    finding("every client receives the last event of each session it follows", late),
    finding("every client gets each event of its sessions once and in order", wrong),
  ];
}

function compare(events: readonly RecordedEvent[], session: CheckedSession | undefined): string | undefined {
  if (session === undefined) return "no such session is stored";
  const misplaced = events.findIndex(({ seq }, index) => seq !== index + 1);
  if (misplaced >= 0) return `event ${events[misplaced]?.seq} came at position ${misplaced + 1}`;
  if (events.length !== session.last_seq) return `${events.length} of ${session.last_seq} events came`;
  const mismatch = events.find(({ dbEventId }, index) => dbEventId !== session.event_ids[index]);
  return mismatch === undefined ? undefined : `event ${mismatch.seq} came with id ${mismatch.dbEventId}`;
}
