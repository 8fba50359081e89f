import {
  QUALITY_RATINGS,
  REVIEW_ACTIONS,
  REVIEW_STATUSES,
  type QualityRating,
  type ReviewAction,
  type ReviewStatus,
} from "#shared/contracts/review.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { RequestError, abbreviate, validationError } from "../http/request-error.ts";

/** What a reviewer says; a member is absent if it was not given, and null where it is to be cleared. */
export interface ReviewFields {
  readonly quality_rating?: QualityRating | null;
  readonly action_taken?: string | null;
  readonly investigation_feedback?: string | null;
}

export interface ReviewRequest {
  /** Each once, as the client wrote it. */
  readonly sessionIds: readonly string[];
  readonly action: ReviewAction;
  readonly fields: ReviewFields;
  /** What the reviewer saw; undefined for a step that is taken whatever others have done meanwhile. */
  readonly expected: ExpectedReview | undefined;
}

/** The state of a review as a reviewer saw it. */
export interface ExpectedReview {
  readonly review_status: ReviewStatus;
  readonly assignee: string | null;
}

export const MAX_REVIEWED_SESSIONS = 50;
export const MAX_REVIEW_CHARACTERS = 10_000;
const MAX_ID_CHARACTERS = 100;
const FIELDS = ["quality_rating", "action_taken", "investigation_feedback"] as const;

/** The fields that an action takes; others are ignored. */
const TAKES: Readonly<Record<ReviewAction, readonly (keyof ReviewFields)[]>> = {
  claim: [],
  unclaim: [],
  complete: FIELDS,
  reopen: [],
  update_feedback: FIELDS,
  acknowledge: ["action_taken", "investigation_feedback"],
};

/**
 * Reads a decoded body of `{session_ids, action, quality_rating?, action_taken?, investigation_feedback?, expected?}`. Unknown members are
 * ignored, null is absent, and an empty text clears. Throws RequestError 400 naming the field.
 */
export function parseReviewRequest(body: unknown): ReviewRequest {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new RequestError(400, "request body must be a JSON object");
  }
  const members: Readonly<Record<string, unknown>> = { ...body };
  const sessionIds = parseIds(members["session_ids"]);
  const action = oneOf("action", members["action"], REVIEW_ACTIONS);
  if (action === "acknowledge" && (parseRating(members["quality_rating"]) ?? null) !== null) {
    throw validationError("quality_rating", `is not taken by the action ${action}`);
  }
  // A member that the action does not take is read as well, so that a wrong one is never ignored.
  const given = <F extends keyof ReviewFields>(field: F, value: ReviewFields[F]): ReviewFields =>
    value === undefined || !TAKES[action].includes(field) ? {} : { [field]: value };
  const fields: ReviewFields = {
    ...given("quality_rating", parseRating(members["quality_rating"])),
    ...given("action_taken", parseText("action_taken", members["action_taken"])),
    ...given(
      "investigation_feedback",
      parseText("investigation_feedback", members["investigation_feedback"]),
    ),
  };
  checkFields(action, fields);
  return { sessionIds, action, fields, expected: parseExpected(members["expected"]) };
}

/** Undefined if absent. */
function parseExpected(value: unknown): ExpectedReview | undefined {
  if (value === undefined || value === null) return undefined;
  const members = new Map<string, unknown>(typeof value === "object" ? Object.entries(value) : []);
  const [review_status, assignee] = [members.get("review_status"), members.get("assignee")];
  if (assignee !== null && typeof assignee !== "string") {
    throw validationError("expected.assignee", "must be a string or null");
  }
  return { review_status: oneOf("expected.review_status", review_status, REVIEW_STATUSES), assignee };
}

function checkFields(action: ReviewAction, fields: ReviewFields): void {
  if (action === "complete" && (fields.quality_rating ?? null) === null) {
    throw validationError("quality_rating", "is required to complete a review", QUALITY_RATINGS);
  }
  if (action === "update_feedback" && Object.keys(fields).length === 0) {
    throw validationError("action", `update_feedback needs one of ${FIELDS.join(", ")}`);
  }
}

function parseIds(value: unknown): string[] {
  const field = "session_ids";
  if (!Array.isArray(value)) {
    throw validationError(field, value === undefined ? "is required" : "must be an array of session ids");
  }
  if (value.length === 0 || value.length > MAX_REVIEWED_SESSIONS) {
    throw validationError(field, `must have 1 to ${MAX_REVIEWED_SESSIONS} ids, got ${value.length}`);
  }
  const ids = value.map((id: unknown, index) => {
    if (typeof id === "string" && id.length <= MAX_ID_CHARACTERS) return id;
    throw validationError(
      `${field}[${index}]`,
      `must be a string of at most ${MAX_ID_CHARACTERS} characters`,
    );
  });
  // Upper and lower case name the same session.
  const names = ids.map((id) => id.toLowerCase());
  return ids.filter((_, index) => names.indexOf(names[index] ?? "") === index);
}

/** Undefined if absent, null if empty. */
function parseRating(value: unknown): QualityRating | null | undefined {
  if (value === undefined || value === null) return undefined;
  return value === "" ? null : oneOf("quality_rating", value, QUALITY_RATINGS);
}

/** Undefined if absent, null if empty. */
function parseText(field: string, value: unknown): string | null | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw validationError(field, "must be a string");
  const { text } = postgresSafeText(value);
  if (safeCut(text, MAX_REVIEW_CHARACTERS) < text.length) {
    throw validationError(field, `must have at most ${MAX_REVIEW_CHARACTERS} characters`);
  }
  return text === "" ? null : text;
}

function oneOf<T extends string>(field: string, value: unknown, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value);
  if (found !== undefined) return found;
  const what = typeof value === "string" ? `'${abbreviate(value)}'` : typeof value;
  const why = value === undefined ? "is required" : `must be one of ${allowed.join(", ")}, got ${what}`;
  throw validationError(field, why, allowed);
}
