import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { literals } from "#shared/contracts/literals.ts";
import { REVIEW_STATUSES } from "#shared/contracts/review.ts";
import { SessionItem } from "./sessions.ts";

/** The groups of triage: `investigating` runs, the others are the states of a review. */
export const TRIAGE_GROUPS = ["investigating", ...REVIEW_STATUSES] as const;
export type TriageGroup = (typeof TRIAGE_GROUPS)[number];

export const TriageParams = Type.Object({ group: literals(TRIAGE_GROUPS) });

/** The query of `GET /api/v1/sessions/triage/:group`. */
export const TriageQuery = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 })),
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 20 })),
  assignee: Type.Optional(Type.String({ description: "exact; empty for unclaimed sessions" })),
});
export type TriageQuery = Static<typeof TriageQuery>;

export const TriageResponse = Type.Object({
  count: Type.Integer({ minimum: 0, description: "of the sessions of the group" }),
  count_is_capped: Type.Optional(
    Type.Literal(true, { description: "the group has more sessions than `count`" }),
  ),
  page: Type.Integer({ minimum: 1, description: "the last page in place of one behind it" }),
  page_size: Type.Integer({ minimum: 1 }),
  total_pages: Type.Integer({ minimum: 1 }),
  sessions: Type.Array(SessionItem),
});
