import { EntitySchema } from "typeorm";
import type { QualityRating, ReviewAction, ReviewStatus } from "#shared/contracts/review.ts";

/** One step of a session's review, by a person. */
interface SessionReviewActivity {
  /** Ascends in the order in which the steps of a session were committed. */
  id: number;
  session_id: string;
  /** The name of the person or program that did it. */
  actor: string;
  action: ReviewAction;
  from_status: ReviewStatus | null;
  to_status: ReviewStatus;
  quality_rating: QualityRating | null;
  /** The `action_taken` of the request. */
  note: string | null;
  investigation_feedback: string | null;
  created_at: Date;
}

export const SessionReviewActivityEntity = new EntitySchema<SessionReviewActivity>({
  name: "SessionReviewActivity",
  tableName: "session_review_activities",
  columns: {
    id: { type: "bigint", primary: true, generated: "increment" },
    session_id: { type: "uuid" },
    actor: { type: "text" },
    action: { type: "text" },
    from_status: { type: "text", nullable: true },
    to_status: { type: "text" },
    quality_rating: { type: "text", nullable: true },
    note: { type: "text", nullable: true },
    investigation_feedback: { type: "text", nullable: true },
    created_at: { type: "timestamptz" },
  },
});
