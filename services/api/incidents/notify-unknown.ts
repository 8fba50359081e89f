import { v7 as uuidV7 } from "uuid";
import type { Queryable } from "#shared/database/queryable.ts";
import type { GroupedAlert } from "./grouped-alert.ts";

const STORE = `
INSERT INTO alert_notifications (key, source, session_id, body) VALUES ($1, $2, NULL, $3) ON CONFLICT (key) DO NOTHING`;

/** Stores an alert that says that it is over and belongs to no session, like the notifications of webhooks; a repetition with its key once. */
export async function notifyUnknown(
  transaction: Queryable,
  { key, source, session }: GroupedAlert,
): Promise<void> {
  await transaction.query(STORE, [key?.key ?? uuidV7(), source, session.data]);
}
