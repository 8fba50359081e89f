import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { Conclusion, CONCLUSION_STATUSES, STATED_STATUSES } from "#shared/contracts/conclusion.ts";
import { literals } from "#shared/contracts/literals.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { StoredClaim } from "#shared/database/tables/conclusions.ts";
import { AtSeqQuery, Nullable, NullableText, SessionParams, Time } from "../http/common-schemas.ts";
import type { Endpoints } from "../http/endpoint.ts";

const { claims, ruled_out, causes, gaps, next_checks } = Conclusion.properties;
const { claim_id: _id, list: _list, source: _source, ...OUTCOME } = StoredClaim.properties;
const CHECKED = {
  ...OUTCOME,
  event_id: Type.With(Nullable(Uuid), {
    description: "the timeline entry of the call whose result the source is",
  }),
};

const Claim = Type.Object({ ...claims.items.properties, ...CHECKED }, { title: "ConclusionClaim" });

const ConclusionResponse = Type.Object(
  {
    execution_id: Uuid,
    agent_name: Type.String(),
    attempt: Type.Integer({ minimum: 1, description: "2: a quote was not found, and it was corrected" }),
    contract: Type.String(),
    rules: Type.Integer({ description: "the version of the rules by which quotes are compared" }),
    status: {
      ...literals(CONCLUSION_STATUSES),
      description:
        "as the check has it: confirmed needs a verified claim from a tool's result, likely any verified claim; unchecked: no conclusion could be read",
    },
    stated_status: Nullable(literals(STATED_STATUSES)),
    confidence: Nullable(Type.Integer({ minimum: 0, maximum: 100, description: "in percent, as stated" })),
    summary: NullableText,
    causes,
    claims: Type.Array(Claim),
    ruled_out: Type.Array(Type.Object({ ...ruled_out.items.properties, ...CHECKED }, { title: "RuledOut" })),
    dropped: Type.Array(Claim, {
      description: "claims that were not verified and that the correction left out",
    }),
    gaps,
    next_checks,
    remarks: Type.Array(Type.String(), { description: "what was corrected or cut when it was read" }),
    claims_verified: Type.Integer({ minimum: 0 }),
    claims_total: Type.Integer({ minimum: 0 }),
    created_at: Time,
  },
  { title: "CheckedConclusion" },
);
export type ConclusionResponse = Static<typeof ConclusionResponse>;

/** What sessions concluded, with the words that show it. */
export const CONCLUSIONS = {
  getConclusion: {
    path: "/api/v1/sessions/:id/conclusion",
    tag: "sessions",
    params: SessionParams,
    query: AtSeqQuery,
    method: "get",
    action: "session.read",
    summary: "The conclusion of a session, with each quote and what became of it",
    responses: { 200: { description: "the newest conclusion", schema: ConclusionResponse } },
  },
} as const satisfies Endpoints;
