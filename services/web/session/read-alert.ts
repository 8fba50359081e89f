import { isJsonObject } from "#shared/json-object.ts";

/** A longer alert is not looked into: it is shown as it is. */
const MAX_READ = 64 * 1024;
/** So many chips and links are shown; the alert's own text has all. */
const MAX_MEMBERS = 24;
const MAX_LINKS = 8;
const MAX_VALUE = 300;

type NameAndValue = readonly [name: string, value: string];
type AlertMembers = Readonly<Record<string, unknown>>;

/** What a person wants to know of an alert first. */
export interface AlertFacts {
  readonly severity: string | undefined;
  readonly summary: string | undefined;
  readonly description: string | undefined;
  /** Labels, tags and details. */
  readonly labels: readonly NameAndValue[];
  /** Annotations that are none of the above. */
  readonly annotations: readonly NameAndValue[];
  /** Addresses of the web: runbook, dashboard, generator. */
  readonly links: readonly NameAndValue[];
  /** How many alerts it is about. */
  readonly count: number;
}

/** Where senders put the alert within what they send: Alertmanager and Grafana, PagerDuty, others. */
const WITHIN = ["alert", "alerts", "incident", "event", "data", "payload"];
const LABELS = /^(?:common|group)?_?(?:labels|tags)$|^(?:custom_)?details$/iu;
const ANNOTATIONS = /^(?:common)?_?annotations$/iu;
const LINK = /(?:url|uri|link|href)$/iu;
const WEB = /^https?:\/\/\S+$/iu;

/** Values of a severity that wake people. */
export const SEVERE = /^(?:critical|crit|fatal|emergency|disaster|page|high|p[01]|sev-?[01])$/iu;

/** True for an address of the web that shows where it leads: what stands before an `@` looks like another host. */
export function isWebAddress(text: string): boolean {
  const url = WEB.test(text) ? URL.parse(text) : null;
  return url !== null && url.username === "" && url.password === "";
}
const SEVERITY = ["severity", "priority", "urgency", "level"];
const SUMMARY = ["summary", "title", "headline", "message", "text"];
const DESCRIPTION = ["description", "message", "body"];

/** Reads an alert that is JSON with the members that senders use; undefined for every other text. */
export function readAlert(text: string): AlertFacts | undefined {
  const root = text.length > MAX_READ ? undefined : membersOf(text);
  if (root === undefined) return undefined;
  const places = placesIn(root);
  const labels = unique(places.flatMap((place) => pairsUnder(place, LABELS)));
  const annotations = unique(places.flatMap((place) => pairsUnder(place, ANNOTATIONS)));
  const own = places.flatMap((place) => pairsOf(place));
  const find = (names: readonly string[], ...among: (readonly NameAndValue[])[]) =>
    names.flatMap((wanted) => among.flat().filter(([name]) => name.toLowerCase() === wanted))[0]?.[1];
  const severity = find(SEVERITY, labels, own);
  const summary = find(SUMMARY, annotations) ?? find(SUMMARY, own) ?? find(["alertname"], labels);
  const description = find(DESCRIPTION, annotations, own);
  const links = withSilence(linksOf([...annotations, ...own, ...labels]), root);
  if (severity === undefined && summary === undefined && labels.length === 0) return undefined;
  const shown = new Set([summary, description, ...links.map(([, url]) => url)]);
  const { alerts } = root;
  return {
    severity,
    summary,
    description: description === summary ? undefined : description,
    labels: labels.filter(([name, value]) => value !== severity || !SEVERITY.includes(name.toLowerCase())),
    annotations: annotations.filter(([, value]) => !shown.has(value)),
    links,
    count: Array.isArray(alerts) ? alerts.length : 1,
  };
}

function membersOf(text: string): AlertMembers | undefined {
  if (!/^\s*[[{]/u.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return firstRecord(value);
  } catch {
    // A text that only begins like JSON.
    return undefined;
  }
}

/** An object, or the first of a list. */
function firstRecord(value: unknown): AlertMembers | undefined {
  return recordOf(Array.isArray(value) ? value[0] : value);
}

function recordOf(value: unknown): AlertMembers | undefined {
  return isJsonObject(value) ? { ...value } : undefined;
}

/** What is sent, and what in it is the alert: two steps down at most. */
function placesIn(root: AlertMembers): readonly AlertMembers[] {
  const below = (place: AlertMembers) =>
    WITHIN.map((name) => firstRecord(place[name])).filter((found) => found !== undefined);
  const first = below(root);
  return [root, ...first, ...first.flatMap(below)];
}

function pairsUnder(place: AlertMembers, names: RegExp): readonly NameAndValue[] {
  return Object.entries(place).flatMap(([name, value]) => (names.test(name) ? pairsOf(value) : []));
}

/** Members that are texts or numbers, and tags such as `env:prod`. */
function pairsOf(value: unknown): readonly NameAndValue[] {
  if (Array.isArray(value)) {
    return value.flatMap((tag: unknown): NameAndValue[] => {
      if (typeof tag !== "string") return [];
      const at = tag.search(/[:=]/u);
      return at < 1 ? [["", tag.slice(0, MAX_VALUE)]] : [[tag.slice(0, at), tag.slice(at + 1, MAX_VALUE)]];
    });
  }
  return Object.entries(recordOf(value) ?? {}).flatMap(([name, member]): NameAndValue[] => {
    if (typeof member === "string" && member.trim() !== "") return [[name, member.trim()]];
    return typeof member === "number" || typeof member === "boolean" ? [[name, String(member)]] : [];
  });
}

/** Each name once, with its first value. */
function unique(pairs: readonly NameAndValue[]): readonly NameAndValue[] {
  const known = new Map<string, NameAndValue>();
  for (const pair of pairs) {
    const key = pair[0] === "" ? pair[1] : pair[0];
    if (!known.has(key) && pair[1].length <= 4 * MAX_VALUE) known.set(key, pair);
  }
  return [...known.values()].slice(0, MAX_MEMBERS);
}

/** Addresses of the web by what they lead to, each once: an alert is not trusted, so that nothing else becomes a link. */
function linksOf(pairs: readonly NameAndValue[]): readonly NameAndValue[] {
  const links = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (!LINK.test(name) || !isWebAddress(value) || links.has(value)) continue;
    const words = name
      .replace(LINK, "")
      .replaceAll(/([a-z])([A-Z])|[_-]+/gu, "$1 $2")
      .trim()
      .toLowerCase();
    links.set(value, words === "" || words === "html" ? "link" : words);
  }
  return [...links].slice(0, MAX_LINKS).map(([url, name]) => [name, url]);
}

const LABEL_NAME = /^[a-z_][a-z0-9_]*$/iu;
const MAX_ADDRESS = 2_000;

/**
 * The links, after that to Alertmanager's form for a silence of what all alerts of the group share. There is none where the form would
 * silence other alerts, too: with a label that it cannot name or that was masked.
 */
function withSilence(
  links: readonly NameAndValue[],
  { externalURL, commonLabels }: AlertMembers,
): readonly NameAndValue[] {
  const labels = Object.entries(recordOf(commonLabels) ?? {});
  const isLinked = links.some(([name]) => name === "silence");
  if (typeof externalURL !== "string" || !isWebAddress(externalURL) || labels.length === 0 || isLinked) {
    return links;
  }
  const matchers = labels.map(([name, value]) =>
    LABEL_NAME.test(name) && typeof value === "string" && !value.includes("[MASKED")
      ? `${name}=${JSON.stringify(value)}`
      : undefined,
  );
  const filter = encodeURIComponent(`{${matchers.join(", ")}}`);
  const address = `${externalURL.replace(/\/+$/u, "")}/#/silences/new?filter=${filter}`;
  return matchers.includes(undefined) || address.length > MAX_ADDRESS
    ? links
    : [["silence", address], ...links];
}
