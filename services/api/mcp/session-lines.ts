import type { SessionItem } from "../sessions/list-schemas.ts";
import { beginningOf } from "./frame-text.ts";

const MAX_CONCLUSION = 500;

/** Sessions of a list: facts of ours, and texts of others by the session's id. */
export function sessionLines(sessions: readonly SessionItem[], pageUrl: string) {
  return {
    facts: sessions.map((item) => ({
      session_id: item.id,
      status: item.status,
      alert_type: item.alert_type,
      created_at: item.created_at,
      open_approvals: item.open_approvals,
      conclusion_status: item.conclusion_status,
      claims_verified: item.claims_verified,
      claims_total: item.claims_total,
      url: `${pageUrl}/sessions/${item.id}`,
    })),
    texts: Object.fromEntries(sessions.map((item) => [item.id, textOf(item)])),
  };
}

function textOf({ alert_preview, executive_summary, error_message, excerpt }: SessionItem): string {
  const found = excerpt === undefined ? "" : `found: ${excerpt.before}${excerpt.match}${excerpt.after}`;
  const conclusion = executive_summary ?? error_message ?? "";
  return [alert_preview, found, beginningOf(conclusion, MAX_CONCLUSION)]
    .filter((one) => one !== "")
    .join("\n");
}
