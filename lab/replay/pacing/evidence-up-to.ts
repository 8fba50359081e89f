import type { Cassette } from "#shared/cassette/cassette.ts";
import {
  MAX_ALERT_CHARACTERS,
  MAX_SHOWN_ALERTS,
  type Evidence,
} from "../../../services/executor/state/evidence.ts";

type RecordedAlert = Cassette["inputs"]["alerts"][number];

/**
 * Of what an agent has not read, the part up to an alert: what it would have read before the later ones had arrived, of which
 * another agent may know already.
 */
export function evidenceUpTo(through: number, unread: Evidence, alerts: readonly RecordedAlert[]): Evidence {
  if (through >= unread.through) return unread;
  const read = unread.through - unread.count;
  const first = Math.max(read, through - MAX_SHOWN_ALERTS) + 1;
  return {
    ...unread,
    through,
    count: through - read,
    newest: alerts
      .filter(({ ordinal }) => ordinal >= first && ordinal <= through)
      .toSorted((a, b) => b.ordinal - a.ordinal)
      .map(({ ordinal, received_at, is_resolved, data }) => ({
        ordinal,
        received_at: `${received_at.slice(0, "2026-01-01T00:00:00".length)}Z`,
        is_resolved,
        ...beginningOf(data),
      })),
  };
}

/** As the database cuts it: by code points. */
function beginningOf(data: string | null): Pick<Evidence["newest"][number], "data" | "left_out"> {
  if (data === null) return { data, left_out: 0 };
  const characters = Array.from(data);
  return {
    data: characters.slice(0, MAX_ALERT_CHARACTERS).join(""),
    left_out: Math.max(characters.length - MAX_ALERT_CHARACTERS, 0),
  };
}
