import type { Identity } from "#shared/access/identity.ts";
import type { SessionAccess } from "#shared/access/authorize.ts";
import type { SessionEvent } from "#shared/contracts/session-event.ts";
import type { WakeUp } from "#shared/contracts/wake-up-queue.ts";
import type { NewSession } from "../alerts/new-session.ts";
import type { SubmissionKey } from "../alerts/submission-key.ts";
import type { JoinedText } from "./mask-joined.ts";
import { ALERT_OUTCOMES } from "./decide-alert.ts";
import type { GroupOfAlert } from "./group-of-alert.ts";

/** An alert of a group, with the session that it would start. */
export interface GroupedAlert {
  readonly group: GroupOfAlert;
  readonly session: NewSession;
  /** Its text for the session that the group had before; undefined if it had none. */
  readonly joined: JoinedText | undefined;
  readonly key: SubmissionKey | undefined;
  readonly identity: Identity;
  /** For what starts no session and joins none: where it came from. */
  readonly source: string;
}

/** What the running session does because the incident is over. */
export const RESOLVED_EFFECTS = ["conclude", "cancel"] as const;
export type ResolvedEffect = (typeof RESOLVED_EFFECTS)[number];

/** `replayed`: it was submitted before with the same key. */
export const GROUPED_OUTCOMES = [...ALERT_OUTCOMES, "replayed"] as const;

/** What became of an alert of a group. */
export interface GroupedResult {
  readonly outcome: (typeof GROUPED_OUTCOMES)[number];
  /** Null if it reaches no session. */
  readonly sessionId: string | null;
  /** Who may see that session. */
  readonly access: SessionAccess;
  readonly effect: ResolvedEffect | null;
}

/** What is to be sent once the alerts of a group are committed. */
export interface CommittedGroup {
  readonly events: readonly SessionEvent[];
  /** The session whose agents have something to read, and the number of the newest entry of its inbox. */
  readonly inbox: { readonly sessionId: string; readonly seq: number } | undefined;
  /** The session that is cancelled. */
  readonly cancelled: string | undefined;
  /** A session that must go on and that no executor owns. */
  readonly wakeUp: WakeUp | undefined;
}
