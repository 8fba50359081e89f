import { uuidV7 } from "#shared/uuid-v7.ts";
import { maySee, type SessionAccess } from "#shared/access/authorize.ts";
import { storedText, type AlertRow } from "./alert-rows.ts";
import { decideAlert, type AlertOutcome, type GroupPhase } from "./decide-alert.ts";
import type { GroupedAlert } from "./grouped-alert.ts";
import type { StoredGroup } from "./read-group.ts";

/** The group after the alerts so far. */
export interface FoldedGroup {
  readonly phase: GroupPhase;
  readonly sessionId: string | null;
  readonly access: SessionAccess;
  readonly count: number;
  readonly bytes: number;
  readonly reopened: number;
}

/** What an alert of the group does, and its row; absent if it reaches no session. */
export interface DecidedAlert {
  readonly alert: GroupedAlert;
  readonly outcome: AlertOutcome;
  readonly sessionId: string | null;
  readonly access: SessionAccess;
  readonly row: AlertRow | undefined;
}

/** Decides about the alerts of a group under its lock, each after those before it. At most one of them starts a session. */
export function decideGroup(
  stored: StoredGroup,
  alerts: readonly GroupedAlert[],
): { readonly decided: readonly DecidedAlert[]; readonly after: FoldedGroup } {
  let state: FoldedGroup = {
    phase: stored.phase,
    sessionId: stored.phase === "none" || stored.phase === "over" ? null : stored.sessionId,
    access: stored,
    count: stored.count,
    bytes: stored.bytes,
    reopened: stored.reopened,
  };
  const decided: DecidedAlert[] = [];
  for (const alert of alerts) {
    const wanted = decideAlert(state, alert.group.rule, alert.group.isResolved);
    const outcome = wanted === "reopened" && !mayContinue(state.access, alert) ? "opened" : wanted;
    const isNew = outcome === "opened" || outcome === "reopened";
    if (isNew) {
      const { session } = alert;
      state = {
        phase: "running",
        sessionId: session.sessionId,
        access: { owner_subject: session.owner, teams: session.teams },
        count: 0,
        bytes: 0,
        reopened: outcome === "reopened" ? state.reopened + 1 : 0,
      };
    }
    if (outcome === "unknown" || state.sessionId === null) {
      decided.push({ alert, outcome, sessionId: null, access: state.access, row: undefined });
      continue;
    }
    const text = alert.joined?.sessionId === state.sessionId ? alert.joined.data : alert.session.data;
    const data = isNew ? null : storedText(text, state.bytes);
    const row = rowOf(alert, { outcome, sessionId: state.sessionId, ordinal: state.count + 1, data });
    decided.push({ alert, outcome, sessionId: state.sessionId, access: state.access, row });
    state = { ...state, count: state.count + 1, bytes: state.bytes + Buffer.byteLength(data ?? "") };
  }
  return { decided, after: state };
}

function rowOf(
  { group, session }: GroupedAlert,
  {
    outcome,
    sessionId,
    ordinal,
    data,
  }: {
    readonly outcome: Exclude<AlertOutcome, "unknown">;
    readonly sessionId: string;
    readonly ordinal: number;
    readonly data: string | null;
  },
): AlertRow {
  return {
    alert_id: uuidV7(),
    session_id: sessionId,
    ordinal,
    group_key: group.key,
    outcome,
    is_resolved: group.isResolved,
    effect: null,
    author: session.author,
    source_key: group.sourceKey,
    data,
    bytes: Buffer.byteLength(session.data),
  };
}

/** True if the agents of a new session may read what the former one found: all who may see the new one could see the former. */
function mayContinue(former: SessionAccess, { identity, session }: GroupedAlert): boolean {
  return maySee(identity, former) && session.teams.every((team) => former.teams.includes(team));
}
