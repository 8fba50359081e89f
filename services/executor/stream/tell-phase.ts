import type { Bus } from "#shared/bus/open-bus.ts";
import { publishLiveProgress } from "#shared/bus/publish-message.ts";
import type { ExecutionPhase } from "#shared/contracts/live-progress.ts";
import type { LiveStreams } from "./live-streams.ts";
import type { EventPublisher } from "./publish-events.ts";

interface WatchedSession {
  readonly bus: Bus;
  readonly publisher: EventPublisher;
  readonly streams: Pick<LiveStreams, "look">;
  readonly sessionId: string;
}

/** The longest message to people, in characters. */
const MAX_MESSAGE_CHARS = 200;

/**
 * Sends what one of the session's agents begins to do to those who watch it, after the events that are committed by
 * now. No step waits for it, and without a connection it is lost. If no one watches, the session's live texts learn it.
 */
export function tellPhase(
  { bus, publisher, streams, sessionId: session_id }: WatchedSession,
  {
    stage_id,
    execution_id,
    parent_execution_id,
  }: { readonly stage_id: string; readonly execution_id: string; readonly parent_execution_id?: string },
  { phase, message }: { readonly phase: ExecutionPhase; readonly message: string },
): void {
  const timestamp = new Date().toISOString();
  const tell = async () => {
    await publisher.settled();
    const progress = {
      type: "execution.progress",
      session_id,
      stage_id,
      execution_id,
      ...(parent_execution_id === undefined ? {} : { parent_execution_id }),
      phase,
      message: message.slice(0, MAX_MESSAGE_CHARS),
      timestamp,
    } as const;
    // No text follows a tool call.
    publishLiveProgress(bus, progress, phase === "gathering_info" ? undefined : streams.look());
  };
  // A connection that is being closed refuses it.
  tell().catch(() => undefined);
}
