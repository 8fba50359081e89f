import { isSameObject } from "../grade/same-object.ts";
import type { WorldCell } from "../results/judged-cell.ts";
import { shareOfTrials, type Share } from "./share.ts";

/**
 * Of all pairs of repetitions of a case, the share whose first causes have the same object and kind. Two that state no cause do not agree: they
 * say nothing. A single repetition has no pair.
 */
export function measureAgreement(cases: readonly (readonly WorldCell[])[]): Share {
  const pairs = cases.flatMap((cells) =>
    cells.flatMap((one, index) =>
      cells
        .slice(index + 1)
        .map((other) => ({ incident: one.world.incident, isSame: isSameCause(one, other) })),
    ),
  );
  const incidents = [...Map.groupBy(pairs, ({ incident }) => incident).values()];
  return shareOfTrials(incidents.map((own) => own.map(({ isSame }) => isSame)));
}

function isSameCause(one: WorldCell, other: WorldCell): boolean {
  const [a, b] = [firstCause(one), firstCause(other)];
  return a !== undefined && b !== undefined && a.kind === b.kind && isSameObject(a.entity, b.entity);
}

function firstCause(cell: WorldCell) {
  return cell.state === "done" ? cell.facts.world?.conclusion?.body?.causes[0] : undefined;
}
