import type { Submitted } from "./open-submitter.ts";

const MESSAGES = {
  queued: "Alert submitted for processing",
  linked: "The alert belongs to an incident that is being investigated, or was",
  resolved: "The alert says that it is over, and no session is about it: none was started",
} as const;

/** What the routes answer about an alert. */
export function submittedView({ sessionId, status, isWithheld }: Submitted) {
  return {
    ...(sessionId === null ? {} : { session_id: sessionId }),
    status,
    message: MESSAGES[status],
    ...(isWithheld ? { alert_withheld: true as const } : {}),
  };
}

/** What webhooks answer about alerts that came together. */
export function receivedView(submitted: readonly Submitted[], known: readonly string[] = []) {
  const ids = [...new Set([...submitted.flatMap(({ sessionId }) => sessionId ?? []), ...known])];
  const [session_id] = ids;
  const fresh = new Set(submitted.filter(({ isReplayed }) => !isReplayed).map((one) => one.status));
  const status = (["queued", "linked", "resolved"] as const).find((one) => fresh.has(one)) ?? "known";
  return {
    ...(session_id === undefined ? {} : { session_id }),
    session_ids: ids,
    status,
    message: status === "known" ? "Nothing new: no session was started" : MESSAGES[status],
  };
}
