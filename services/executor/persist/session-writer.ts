import type { LimitFunction } from "p-limit";
import type { CancelledError } from "#shared/errors.ts";
import type { Database } from "#shared/database/database.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { InboxWatch } from "../core/inbox-watch.ts";
import type { SessionMemory } from "../state/session-memory.ts";
import type { FollowUpMetrics, CostMetrics } from "./count-committed.ts";
import type { LiveStreams } from "../stream/live-streams.ts";
import type { EventPublisher } from "../stream/publish-events.ts";

/** The parts of an owned session that its writes need. */
export interface SessionWriter {
  readonly sessionId: string;
  /** Raised by every claim; the fence refuses writes that carry an older one. */
  readonly epoch: number;
  /** The steps of which one is the last that its rows have: one, and those whose COMMIT was not answered. */
  readonly lastSteps: Set<string>;
  /** The piece of work on an ended session that the writes belong to; undefined for those of the session itself. */
  readonly followUpId?: string;
  readonly db: Database;
  readonly log: Logger;
  /**
   * Serialises the session's commits. Agents that run concurrently would wait for the same row anyway, each holding a
   * pooled connection.
   */
  readonly commitMutex: LimitFunction;
  /** The state of the session's rows. */
  readonly memory: SessionMemory;
  /** Reports when others have written something for the owner. */
  readonly inbox: InboxWatch;
  readonly publisher: EventPublisher;
  readonly streams: LiveStreams;
  readonly metrics: CostMetrics & FollowUpMetrics;
  /** Called once the end of a session has stored that it asks for work that follows, such as its score. */
  readonly onFollowUp?: (() => void) | undefined;
  /** Cancels the session's work; the first reason stays. */
  stop(reason: CancelledError): void;
}
