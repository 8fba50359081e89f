import { parseJsonText, textAt, textsAt } from "../alerts/json-pointer.ts";
import type { GroupDigest } from "./group-secret.ts";
import type { GroupRule } from "./group-rule.ts";

/** What the source of an alert says of its incident. */
export interface SourceIncident {
  readonly source: string;
  /** Its `grouping`; undefined if it has none: then the chain's is used. */
  readonly rule: GroupRule | undefined;
  /** The source's own group; absent where `rule` says what a group is. */
  readonly group?: string;
  /** What tells the alert apart from others of a group; absent where the rule says it. */
  readonly alert?: string;
  /** Whether the alert is over; absent where the rule says it. */
  readonly isResolved?: boolean;
}

/** The group of an alert. */
export interface GroupOfAlert {
  readonly key: string;
  readonly rule: GroupRule;
  readonly chainId: string;
  readonly isResolved: boolean;
  /** A digest of what tells the alert apart from others of the group; null if they are all alike. */
  readonly sourceKey: string | null;
}

/** A rule, and within what its keys are unique. */
interface ScopedRule {
  readonly rule: GroupRule;
  readonly scope: readonly string[];
}

/**
 * The rule that an alert is grouped by; undefined if none asks for it. That of the source goes before that of the chain, and both
 * before the fingerprint, which is not used for sources that have groups of their own.
 */
export function scopedRule(
  {
    ofChain,
    ofFingerprint,
  }: { readonly ofChain: GroupRule | undefined; readonly ofFingerprint: GroupRule | undefined },
  incident: SourceIncident | undefined,
): ScopedRule | undefined {
  if (incident?.rule !== undefined) return { rule: incident.rule, scope: ["webhook", incident.source] };
  if (ofChain !== undefined) return { rule: ofChain, scope: ["chain"] };
  if (incident !== undefined || ofFingerprint === undefined) return undefined;
  return { rule: ofFingerprint, scope: ["fingerprint"] };
}

/**
 * The group of an alert for a chain; undefined if what the rule asks for is not in the alert. A group never spans two chains, which
 * decide who may see a session; the author is no part of it.
 */
export function groupOfAlert(
  data: string,
  {
    chainId,
    incident,
    rule,
    scope,
  }: ScopedRule & { readonly chainId: string; readonly incident: SourceIncident | undefined },
  digest: GroupDigest,
): GroupOfAlert | undefined {
  const alert = parseJsonText(data);
  const isNamed = incident?.group !== undefined && incident.rule === rule && rule.by.length === 0;
  const values = isNamed ? ["group", incident.group] : textsAt(alert, rule.by);
  if (values === undefined) return undefined;
  const apart = incident?.alert ?? ownAlert(alert, rule);
  return {
    key: digest(["group", ...scope, chainId, values]),
    rule,
    chainId,
    isResolved: incident?.isResolved ?? isResolved(alert, rule),
    sourceKey: apart === null ? null : digest(["alert", chainId, apart]),
  };
}

function isResolved(alert: unknown, { resolved }: GroupRule): boolean {
  if (resolved === undefined) return false;
  const text = textAt(alert, resolved.path);
  return text !== undefined && resolved.values.includes(text);
}

/** What tells an alert of unknown form apart; null if nothing does. */
function ownAlert(alert: unknown, { resolved }: GroupRule): readonly string[] | null {
  if (resolved === undefined || resolved.alert.length === 0) return null;
  return textsAt(alert, resolved.alert) ?? null;
}
