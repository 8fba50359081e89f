import { Type } from "#shared/generated/typebox/typebox.mjs";
import { mayChange, maySee } from "#shared/access/authorize.ts";
import type { Identity } from "#shared/access/identity.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { ReviewStatus, ReviewAction } from "#shared/contracts/review.ts";
import type { SessionEvent, UnstampedPayload } from "#shared/contracts/session-event.ts";
import { isUuid } from "#shared/contracts/uuid.ts";
import { appendEvents } from "#shared/database/append-events.ts";
import type { Database } from "#shared/database/database.ts";
import { isoText } from "#shared/database/iso-text.ts";
import { findSession } from "#shared/database/find-session.ts";
import type { InsertedFollowUp } from "#shared/database/insert-follow-up.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { ALERT_SESSIONS } from "#shared/database/tables/alert-sessions.ts";
import type { ReviewRequest, ExpectedReview } from "./review-request.ts";
import { reviewStep, type Review, type ReviewStep } from "./review-step.ts";
import { personName } from "#shared/client/person-name.ts";
import { timeText } from "#shared/client/time-text.ts";

/** A review with the time of its claim. */
interface FoundReview extends Review {
  readonly assigned_at: string | null;
}

/**
 * Who was quicker, as text for people, if a review is not as the reviewer saw it; undefined if it is. A claim of what is the reviewer's
 * already is no conflict: it may be a second press.
 */
function overtakenText(
  { review_status, assignee, assigned_at }: FoundReview,
  expected: ExpectedReview,
  { action, actor }: { readonly action: ReviewAction; readonly actor: string },
): string | undefined {
  const isSame = review_status === expected.review_status && assignee === expected.assignee;
  const isOwn = action === "claim" && review_status === "in_progress" && assignee === actor;
  if (isSame || isOwn) return undefined;
  const who = personName(assignee ?? "");
  if (review_status === "needs_review") return "this needs a review again";
  if (review_status === "reviewed") return who === "" ? "this needs no review" : `${who} has reviewed this`;
  const since =
    assigned_at === null ? "" : ` since ${timeText(Date.parse(assigned_at), Date.now(), "utc")} UTC`;
  return `${who} has claimed this${since}`;
}

const READ = `
SELECT review_status, assignee, ${isoText("assigned_at")} AS assigned_at, quality_rating, action_taken, investigation_feedback, feedback_edited
FROM alert_sessions WHERE session_id = $1`;
const parseReview = compileParser(
  "review",
  Type.Object({
    ...rowMembers(ALERT_SESSIONS, "review_status", "assignee", "assigned_at", "quality_rating"),
    ...rowMembers(ALERT_SESSIONS, "action_taken", "investigation_feedback", "feedback_edited"),
  }),
);

/**
 * What was learned from the investigation is as good as it was: another rating replaces the one before, and what it meant for the
 * memories. The reviewer's own words are not rated by it.
 *
 * The two entries of a step that also claims are a microsecond apart, so that their times have their order, too.
 */
const WRITE = `
WITH reviewed AS (
  UPDATE alert_sessions SET review_status = $2, assignee = $3,
    assigned_at = CASE WHEN $4 THEN now() WHEN $3::text IS NULL THEN NULL ELSE assigned_at END,
    quality_rating = $5, action_taken = $6, investigation_feedback = $7, feedback_edited = $8,
    feedback_edited_by = CASE WHEN $9 THEN $10::text WHEN $8 THEN feedback_edited_by END,
    feedback_edited_at = CASE WHEN $9 THEN now() WHEN $8 THEN feedback_edited_at END
  WHERE session_id = $1
), rated AS (
  UPDATE investigation_memories SET rating = $5, deprecation = CASE WHEN deprecation THEN true END
  WHERE source_session_id = $1 AND origin = 'investigation' AND rating IS DISTINCT FROM $5
)
INSERT INTO session_review_activities
  (session_id, actor, action, from_status, to_status, quality_rating, note, investigation_feedback, created_at)
SELECT $1, $10, item.value ->> 'action', item.value ->> 'from_status', item.value ->> 'to_status',
       CASE WHEN item.value ->> 'to_status' = 'reviewed' THEN $5 END, CASE WHEN item.value ->> 'to_status' = 'reviewed' THEN $6 END,
       CASE WHEN item.value ->> 'to_status' = 'reviewed' THEN $7 END,
       clock_timestamp() + (item.ordinality - 1) * interval '1 microsecond'
FROM json_array_elements($11::json) WITH ORDINALITY AS item(value, ordinality) ORDER BY item.ordinality`;

/** What came of one session of the request. */
export type Reviewed =
  | {
      readonly isReviewed: true;
      readonly events: readonly SessionEvent[];
      readonly from: ReviewStatus;
      readonly review: Review;
      /** Work that learns from the feedback. */
      readonly followUp: InsertedFollowUp | null;
    }
  | {
      readonly isReviewed: false;
      readonly why: string;
      /** The reviewer has seen another state than the session is in. */
      readonly isOvertaken?: true;
    };

const NOT_FOUND = { isReviewed: false, why: "not found" } as const;

interface ReviewOptions {
  readonly identity: Identity;
  /** Has the session learned from, in the transaction; called if the review has a feedback that it had not before. */
  readonly learn?: ((transaction: Queryable) => Promise<InsertedFollowUp | null>) | undefined;
}

/**
 * Takes one step in a session's review, in a transaction that holds the session's lock: of concurrent steps each sees what the
 * one before left. An unknown session and one that the reviewer may not see are alike not found. Throws database errors.
 */
export async function reviewSession(
  db: Pick<Database, "transaction">,
  id: string,
  { action, fields, expected, identity, learn }: Omit<ReviewRequest, "sessionIds"> & ReviewOptions,
): Promise<Reviewed> {
  if (!isUuid(id)) return NOT_FOUND;
  const actor = postgresSafeText(identity.name).text;
  return db.transaction(async (transaction) => {
    const session = await findSession(transaction, id, { lock: true });
    if (session === undefined || !maySee(identity, session)) return NOT_FOUND;
    if (!mayChange(identity, session)) {
      return { isReviewed: false, why: "only the submitter of a session and operators may review it" };
    }
    const review = await readReview(transaction, id);
    if (review === undefined) return conflict(`the session is ${session.status}: it has not ended yet`);
    const overtaken = expected && overtakenText(review, expected, { action, actor });
    if (overtaken !== undefined) return { isReviewed: false, why: overtaken, isOvertaken: true };
    const step = reviewStep(review, { action, fields, actor });
    if (typeof step === "string") return conflict(step);
    await write(transaction, id, step, actor);
    const events = await appendEvents(transaction, id, [event(session.session_id, step.review, actor)]);
    const { investigation_feedback: feedback } = step.review;
    const isNew = feedback !== null && feedback !== review.investigation_feedback;
    const followUp = isNew && learn !== undefined ? await learn(transaction) : null;
    return { isReviewed: true, from: review.review_status, review: step.review, events, followUp };
  });
}

function conflict(why: string): Reviewed {
  return { isReviewed: false, why: `state conflict: ${why}` };
}

/** Undefined for a session that runs. */
async function readReview(transaction: Queryable, id: string): Promise<FoundReview | undefined> {
  const [row] = await selectRows(transaction, parseReview, READ, [id]);
  if (row === undefined || row.review_status === null) return undefined;
  return { ...row, review_status: row.review_status };
}

async function write(
  transaction: Queryable,
  id: string,
  { review, log, assigns, edits }: ReviewStep,
  actor: string,
): Promise<void> {
  await transaction.query(WRITE, [
    id,
    review.review_status,
    review.assignee,
    assigns,
    review.quality_rating,
    review.action_taken,
    review.investigation_feedback,
    review.feedback_edited,
    edits,
    actor,
    JSON.stringify(log),
  ]);
}

function event(session_id: string, review: Review, actor: string): UnstampedPayload {
  const { review_status, assignee, quality_rating, action_taken, investigation_feedback } = review;
  return {
    type: "review.status",
    session_id,
    review_status,
    ...(assignee === null ? {} : { assignee }),
    ...(quality_rating === null ? {} : { quality_rating }),
    ...(action_taken === null ? {} : { action_taken }),
    ...(investigation_feedback === null ? {} : { investigation_feedback }),
    actor,
  };
}
