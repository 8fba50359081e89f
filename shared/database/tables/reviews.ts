import { table, ADD, OF_SESSION, type Row } from "#shared/database/tables/table.ts";
import { REVIEW_ACTIONS, REVIEW_STATUSES, QUALITY_RATINGS } from "#shared/contracts/review.ts";

/** One step of a session's review, by a person. */
export const SESSION_REVIEW_ACTIVITIES = table({
  name: "session_review_activities",
  columns: {
    /** Ascends in the order in which the steps of a session were committed. */
    id: { type: "bigint", primary: true, ddl: "GENERATED ALWAYS AS IDENTITY" },
    session_id: OF_SESSION,
    /** The name of the person or program that did it. */
    actor: { type: "text", from: "caller" },
    action: { type: "text", enum: REVIEW_ACTIONS, from: "ours" },
    from_status: { type: "text", nullable: true, enum: REVIEW_STATUSES, from: "ours" },
    to_status: { type: "text", enum: REVIEW_STATUSES, from: "ours" },
    quality_rating: { type: "text", nullable: true, enum: QUALITY_RATINGS, from: "ours" },
    /** The `action_taken` of the request. */
    note: { type: "text", nullable: true, from: "person" },
    investigation_feedback: { type: "text", nullable: true, from: "person" },
    created_at: { type: "timestamptz" },
  },
  indexes: ["session_review_activities_session (session_id, id)"],
  grants: { api: ADD },
  purge: { kind: "session" },
});

export type SessionReviewActivity = Row<typeof SESSION_REVIEW_ACTIVITIES>;
