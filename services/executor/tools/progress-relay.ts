import { publishLiveProgress } from "#shared/bus/publish-message.ts";
import { type ToolCallProgress, toolCallProgressCodec } from "#shared/contracts/tool-call.ts";
import type { OwnedSession } from "../core/owned-session.ts";
import type { Bus } from "#shared/bus/open-bus.ts";
import { subscribe } from "#shared/bus/subscribe.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";

interface ProgressRelayOptions {
  readonly session: Pick<OwnedSession, "bus" | "publisher" | "sessionId">;
  readonly executionId: string;
  /** The call's timeline row. */
  readonly eventId: string;
}

/**
 * Passes the progress of one call on to those who watch the session, after the event of its row and before that of its
 * result. While events wait to be sent, only the newest progress waits with them.
 */
export class ProgressRelay implements Disposable {
  readonly #options: ProgressRelayOptions;
  #newest: ToolCallProgress | undefined;
  #isOver = false;

  constructor(options: ProgressRelayOptions) {
    this.#options = options;
  }

  push(progress: ToolCallProgress): void {
    const isWaiting = this.#newest !== undefined;
    this.#newest = progress;
    if (!isWaiting) void this.#options.session.publisher.settled().then(() => this.#send());
  }

  /** Nothing is sent any more. */
  [Symbol.dispose](): void {
    this.#isOver = true;
  }

  #send(): void {
    const newest = this.#newest;
    this.#newest = undefined;
    if (newest === undefined || this.#isOver) return;
    const { session, executionId, eventId } = this.#options;
    const { progress, total, message } = newest;
    publishLiveProgress(session.bus, {
      type: "tool.progress",
      session_id: session.sessionId,
      execution_id: executionId,
      event_id: eventId,
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
      timestamp: new Date().toISOString(),
    });
  }
}

/**
 * Calls `report` with what the tool-runner says about one attempt of a call, until it is disposed. It is subscribed before
 * anything that is sent afterwards on this connection. `report` must not throw.
 */
export function watchProgress(
  bus: Bus,
  { executionId, callId }: { readonly executionId: string; readonly callId: string },
  report: (progress: ToolCallProgress) => void,
): Disposable {
  const subject = SUBJECTS.toolProgress(executionId);
  const subscription = subscribe(bus, subject, toolCallProgressCodec, (progress) => {
    if (progress.call_id === callId) report(progress);
  });
  return { [Symbol.dispose]: () => subscription.unsubscribe() };
}
