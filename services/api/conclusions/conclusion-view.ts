import type { CheckedClaim, Conclusion } from "#shared/contracts/conclusion.ts";
import type { StoredClaim } from "#shared/database/tables/conclusions.ts";
import type { ConclusionResponse } from "./contract.ts";
import type { Quoted, StoredConclusion } from "./read-conclusion.ts";

/** Each entry of the conclusion with what became of its quote. */
export function conclusionView(
  { body, checked, ...members }: StoredConclusion,
  { body: first, entries }: Quoted,
): ConclusionResponse {
  const outcomeOf = (list: CheckedClaim["list"], id: string): Outcome => {
    const found = checked.find((one) => one.list === list && one.claim_id === id) ?? UNCHECKED;
    const { outcome, note, line_from, line_to, at_text, found_in, interaction_id } = found;
    const event_id = entries[interaction_id ?? ""] ?? null;
    return { outcome, note, line_from, line_to, at_text, found_in, interaction_id, event_id };
  };
  const isDropped = ({ id }: Conclusion["claims"][number]) =>
    checked.some(({ list, claim_id }) => list === "dropped" && claim_id === id);
  return {
    ...members,
    summary: body?.summary ?? null,
    causes: body?.causes ?? [],
    claims: (body?.claims ?? []).map((claim) => ({ ...claim, ...outcomeOf("claim", claim.id) })),
    ruled_out: (body?.ruled_out ?? []).map((one, index) => ({
      ...one,
      ...outcomeOf("ruled_out", `out${index + 1}`),
    })),
    dropped: (first?.claims ?? [])
      .filter(isDropped)
      .map((claim) => ({ ...claim, ...outcomeOf("dropped", claim.id) })),
    gaps: body?.gaps ?? [],
    next_checks: body?.next_checks ?? [],
  };
}

type Outcome = Omit<StoredClaim, "claim_id" | "list" | "source"> & { readonly event_id: string | null };

const UNCHECKED: Omit<Outcome, "event_id"> = {
  outcome: "unchecked",
  note: null,
  line_from: null,
  line_to: null,
  at_text: null,
  found_in: null,
  interaction_id: null,
};
