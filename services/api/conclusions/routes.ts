import type { CheckedClaim } from "#shared/contracts/conclusion.ts";
import type { StoredClaim } from "#shared/database/tables/conclusions.ts";
import type { ApiDeps } from "../api-deps.ts";
import { RequestError } from "../http/request-error.ts";
import { routesOf } from "../http/routes-of.ts";
import { sessionAt } from "../http/session-at.ts";
import { CONCLUSIONS, type ConclusionResponse } from "./contract.ts";
import { readConclusion, type StoredConclusion } from "./read-conclusion.ts";

/** The route of conclusions; with `at_seq`, of what was concluded by then. A session without one is answered 404. */
export const conclusionRoutes = ({ orm }: ApiDeps) =>
  routesOf(CONCLUSIONS, {
    getConclusion: async (ctx) =>
      orm.transaction("REPEATABLE READ", async (manager) => {
        const { session_id } = await sessionAt(manager, ctx);
        const stored = await readConclusion(manager, session_id);
        if (stored === null) throw new RequestError(404, "the session has no conclusion that was checked");
        return conclusionView(stored);
      }),
  });

/** Each entry of the conclusion with what became of its quote. */
function conclusionView({ body, checked, ...members }: StoredConclusion): ConclusionResponse {
  return {
    ...members,
    summary: body?.summary ?? null,
    causes: body?.causes ?? [],
    claims: (body?.claims ?? []).map((claim) => ({ ...claim, ...outcomeOf(checked, "claim", claim.id) })),
    ruled_out: (body?.ruled_out ?? []).map((one, index) => ({
      ...one,
      ...outcomeOf(checked, "ruled_out", `out${index + 1}`),
    })),
    dropped: checked
      .filter(({ list }) => list === "dropped")
      .map(({ claim_id, ...claim }) => ({ claim_id, ...resultOf(claim) })),
    gaps: body?.gaps ?? [],
    next_checks: body?.next_checks ?? [],
  };
}

type Outcome = Omit<StoredClaim, "claim_id" | "list" | "source">;

function outcomeOf(checked: readonly StoredClaim[], list: CheckedClaim["list"], id: string): Outcome {
  const found = checked.find((one) => one.list === list && one.claim_id === id);
  return found === undefined ? UNCHECKED : resultOf(found);
}

function resultOf({
  outcome,
  note,
  line_from,
  line_to,
  at_text,
  found_in,
  interaction_id,
}: Outcome): Outcome {
  return { outcome, note, line_from, line_to, at_text, found_in, interaction_id };
}

const UNCHECKED: Outcome = {
  outcome: "unchecked",
  note: null,
  line_from: null,
  line_to: null,
  at_text: null,
  found_in: null,
  interaction_id: null,
};
