import type { ApiResponse } from "#shared/client/api-types.ts";
import type { Parked } from "../../services/api/parking/contract.ts";
import { personName } from "#shared/client/person-name.ts";
import { NO_USER } from "#shared/contracts/no-user.ts";
import { isTerminal, type SessionStatus } from "#shared/contracts/statuses.ts";

/** The answer of the api about a session without its timeline. */
export type Overview = ApiResponse<"GET /api/v1/sessions/:id/overview">;
/** The person that cancelled a session, and the time. */
export type Cancelled = NonNullable<Overview["cancelled"]>;
/** The repeated failure in a session that runs. */
export type Failing = NonNullable<Overview["failing"]>;

/** The members that decide the state of a session. */
export interface StateFacts {
  readonly status: SessionStatus;
  /** Undefined for one that is neither parked nor asked to park. */
  readonly parked?: Pick<Parked, "by" | "actor" | "at"> | undefined;
  /** Undefined for one that gets on. */
  readonly failing?: Failing | undefined;
  /** Tool calls that wait for a person's decision. */
  readonly openApprovals: number;
}

/** The state of a session: a word for programs and styles, and the words that people read. */
export interface DisplayedState {
  readonly kind: keyof typeof STATE_WORDS;
  readonly text: string;
  /** The time since which it is parked; its time stands still then. */
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
  parking: "Parking…",
  needs_approval: "Needs approval",
  failing: "Failing",
} as const;

/** The one place that says how a session stands, for pages and terminals: a status alone calls a session running that does nothing. */
export function sessionState({ status, parked, openApprovals, failing }: StateFacts): DisplayedState {
  if (isTerminal(status) || status === "cancelling") return stateOf(status);
  if (parked?.at !== undefined) return { ...stateOf("parked"), since: parked.at };
  if (openApprovals > 0) return stateOf("needs_approval");
  if (parked !== undefined) return stateOf("parking");
  if (failing !== undefined) return stateOf("failing");
  return stateOf(status);
}

/** True for a session that gets no further without a person. */
export function needsPerson(facts: StateFacts): boolean {
  const { kind } = sessionState(facts);
  return kind === "needs_approval" || kind === "failing";
}

const FAILING_PARTS = { gateway: "the LLM gateway", tools: "the tool runner" } as const;

/** The failure, its cause, its count and its next try, as text that follows the word "Failing"; `now` in milliseconds. */
export function failingText({ what, provider, reason, tries, next_at: next }: Failing, now: number): string {
  const subject = what === "provider" ? `provider '${provider}'` : FAILING_PARTS[what];
  const seconds = next === undefined ? 0 : Math.ceil((Date.parse(next) - now) / 1_000);
  return [
    reason === "" ? subject : `${subject}: ${reason}`,
    ...(tries === undefined ? [] : [tries === 1 ? "1 try" : `${tries} tries`]),
    ...(seconds > 0 ? [`next in ${seconds} s`] : []),
  ].join(", ");
}

function stateOf(kind: DisplayedState["kind"]): DisplayedState {
  return { kind, text: STATE_WORDS[kind] };
}

/** The party that parked a session, as text that follows the word "Parked". */
export function parkedBy({ by, actor }: Pick<Parked, "by" | "actor">): string {
  return by === "operator" ? `by ${personName(actor ?? NO_USER)}` : "for a critical session";
}

/** The person that cancelled a session, as text that a time follows. */
export function cancelledBy({ by }: Pick<Cancelled, "by">): string {
  return `Cancelled by ${personName(by)} at`;
}
