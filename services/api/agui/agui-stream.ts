import type { Database } from "#shared/database/database.ts";
import { liveEvents } from "../sse/live-events.ts";
import type { SseConnection } from "../sse/sse-connections.ts";
import { HEARTBEAT } from "../sse/sse-stream.ts";
import type { AguiEvent } from "./agui-event.ts";
import type { AguiFold } from "./agui-fold.ts";

interface AguiStreamOptions {
  readonly db: Database;
  readonly connection: SseConnection;
  readonly fold: AguiFold;
  /** The conversation before the run, if the client has messages of the run already. */
  readonly history: readonly object[] | undefined;
  /** The events up to this one are of no interest. */
  readonly afterSeq: number;
  /** The last event of a session that is over; undefined while it runs. */
  readonly lastSeq: number | undefined;
  /** The caller may decide about tool calls: while all agents wait for that, the run ends with the questions. */
  readonly mayDecide: boolean;
  readonly heartbeatMs: number;
}

/**
 * Yields a run as Server-Sent Events, at the pace of its reader: what is stored, then what happens, with live text. It ends with the run,
 * or with an event that says why it cannot go on.
 */
export async function* aguiStream(options: AguiStreamOptions): AsyncGenerator<string, void, undefined> {
  const { fold, history, connection, mayDecide } = options;
  yield framesOf([
    fold.start(),
    ...(history === undefined ? [] : [{ type: "MESSAGES_SNAPSHOT", messages: history } as const]),
  ]);
  for await (const next of liveEvents(options)) {
    const events = eventsOf(next);
    if (events.length > 0) yield framesOf(events);
    else if (next === "waiting") yield HEARTBEAT;
    if (fold.isOver) return;
  }
  yield framesOf(
    connection.signal.aborted
      ? fold.fail("the connection ends: send the same input again to go on", "disconnected")
      : fold.fail("the events of this session end here", "events_lost"),
  );

  function eventsOf(
    next: Awaited<ReturnType<ReturnType<typeof liveEvents>["next"]>>["value"],
  ): readonly AguiEvent[] {
    if (typeof next === "object") return fold.take(next);
    // Every event that the text may belong to has been sent.
    const text = connection.takeTexts().flatMap((chunk) => fold.takeChunk(chunk));
    return mayDecide && fold.waitsForPerson ? [...text, ...fold.interrupt()] : text;
  }
}

/** Events as they are sent. */
export function framesOf(events: readonly AguiEvent[]): string {
  // JSON.stringify escapes line breaks, so one data line is enough.
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
}
