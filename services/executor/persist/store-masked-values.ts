import type { MaskedValue } from "#shared/masking/mask-context.ts";
import type { OwnedSession } from "../core/owned-session.ts";

const STORE = `
INSERT INTO masked_values (session_id, digest, digits, length, kind)
SELECT $1, digest, digits, length, kind
FROM json_to_recordset($2::json) AS value (digest text, digits text, length integer, kind text)
ON CONFLICT DO NOTHING`;

/** Stores values that were masked, so that they are masked wherever they reappear in the session. Throws database errors. */
export async function storeMaskedValues(
  { db, sessionId }: Pick<OwnedSession, "db" | "sessionId">,
  values: readonly MaskedValue[],
): Promise<void> {
  if (values.length > 0) await db.query(STORE, [sessionId, JSON.stringify(values)]);
}
