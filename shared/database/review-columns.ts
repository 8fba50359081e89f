/** The columns of `alert_sessions` that a review changes. */
export const REVIEW_COLUMNS = [
  "review_status",
  "assignee",
  "assigned_at",
  "quality_rating",
  "action_taken",
  "investigation_feedback",
  "feedback_edited",
  "feedback_edited_by",
  "feedback_edited_at",
] as const;
