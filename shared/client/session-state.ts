import type { ApiResponse } from "#shared/client/api-types.ts";
import { isTerminal, type SessionStatus } from "#shared/contracts/statuses.ts";

type Parked = NonNullable<ApiResponse<"GET /api/v1/sessions/:id/overview">["parked"]>;

/** What decides how a session stands. */
export interface StateFacts {
  readonly status: SessionStatus;
  /** Undefined for one that is neither parked nor asked to park. */
  readonly parked?: Pick<Parked, "by" | "actor" | "at"> | undefined;
  /** Tool calls that wait for a person's decision. */
  readonly openApprovals: number;
}

/** How a session stands: a word for programs and styles, and the words that people read. */
export interface SessionState {
  readonly kind: keyof typeof STATE_WORDS;
  readonly text: string;
  /** Since when it is parked; its time stands still then. */
  readonly since?: string;
}

/** The words for how sessions stand. */
export const STATE_WORDS = {
  pending: "Queued",
  in_progress: "Running",
  cancelling: "Cancelling",
  completed: "Completed",
  failed: "Failed",
  cancelled: "Cancelled",
  timed_out: "Timed out",
  parked: "Parked",
  needs_approval: "Needs approval",
} as const;

/** The one place that says how a session stands, for pages and terminals: a status alone calls a session running that does nothing. */
export function sessionState({ status, parked, openApprovals }: StateFacts): SessionState {
  if (isTerminal(status) || status === "cancelling") return stateOf(status);
  if (parked?.at !== undefined) return { ...stateOf("parked"), since: parked.at };
  if (openApprovals > 0) return stateOf("needs_approval");
  return stateOf(status);
}

function stateOf(kind: SessionState["kind"]): SessionState {
  return { kind, text: STATE_WORDS[kind] };
}

/** Who or what parked a session, as text that follows the word "Parked". */
export function parkedBy({ by, actor }: Pick<Parked, "by" | "actor">): string {
  return by === "operator" ? `by ${actor ?? "an operator"}` : "for a critical session";
}
