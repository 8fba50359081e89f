import { startAtZero } from "#shared/service/start-at-zero.ts";
import type { ApiDeps } from "../api-deps.ts";
import type { CheckedAlert } from "../alerts/check-alert.ts";
import { groupOfAlert, scopedRule, type GroupOfAlert, type SourceIncident } from "./group-of-alert.ts";
import { GroupInserts } from "./group-inserts.ts";
import { fingerprintRule, groupRule } from "./group-rule.ts";
import { groupDigests } from "./group-secret.ts";
import { joinedTexts } from "./mask-joined.ts";
import {
  GROUPED_OUTCOMES,
  RESOLVED_EFFECTS,
  type CommittedGroup,
  type GroupedAlert,
  type GroupedResult,
} from "./grouped-alert.ts";

/** Which alerts are one incident, and what becomes of them. */
interface AlertGrouping {
  /** The group of an alert, undefined if it has none. Rejects with database errors. */
  groupOf(alert: CheckedAlert, incident: SourceIncident | undefined): Promise<GroupOfAlert | undefined>;
  /** As `GroupInserts.insert`; `data` is the alert's text, which is masked for the session that it joins. */
  insert(alert: Omit<GroupedAlert, "joined">, data: string): Promise<GroupedResult>;
}

/** Prepares the grouping of alerts: once for a process. */
export function openGrouping(deps: ApiDeps): AlertGrouping {
  const { config, db, dispatcher, metrics } = deps;
  const { agents, fingerprintPath, webhooks } = config;
  const ofChains = new Map(
    [...agents.chains].flatMap(([id, { grouping }]) =>
      grouping === undefined ? [] : [[id, groupRule(grouping)] as const],
    ),
  );
  const ofFingerprint = fingerprintPath.length === 0 ? undefined : fingerprintRule(fingerprintPath);
  const isForAll =
    ofFingerprint !== undefined || [...webhooks.values()].some(({ rule }) => rule !== undefined);
  const grouped = isForAll ? [...agents.chains.keys()] : [...ofChains.keys()];
  startAtZero(metrics.groupedAlerts, { chain: grouped, outcome: GROUPED_OUTCOMES });
  startAtZero(metrics.incidentsResolved, { chain: grouped, effect: RESOLVED_EFFECTS });
  const digest = groupDigests(db);
  const send = ({ events, inbox, cancelled, wakeUp }: CommittedGroup) => {
    dispatcher.publish(events);
    if (inbox !== undefined) dispatcher.noticeInbox(inbox.sessionId, inbox.seq);
    if (cancelled !== undefined) dispatcher.cancel(cancelled);
    if (wakeUp !== undefined) dispatcher.wake(wakeUp);
  };
  const inserts = new GroupInserts(db, send);
  const joinedText = joinedTexts(deps);
  return {
    groupOf: async ({ data, chainId }, incident) => {
      const scoped = scopedRule({ ofChain: ofChains.get(chainId), ofFingerprint }, incident);
      // Without one neither the alert is parsed nor the secret read.
      if (scoped === undefined) return undefined;
      return groupOfAlert(data, { chainId, incident, ...scoped }, await digest());
    },
    insert: async (alert, data) => {
      const joined = await joinedText(alert.group.key, data);
      const result = await inserts.insert({ ...alert, joined });
      const { chainId: chain } = alert.group;
      const { outcome, effect } = result;
      metrics.groupedAlerts.inc({ chain, outcome });
      if (effect !== null) metrics.incidentsResolved.inc({ chain, effect });
      return result;
    },
  };
}
