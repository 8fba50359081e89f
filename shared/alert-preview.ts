import { parseDocument } from "yaml";
import { decodeBase64Text } from "#shared/alert-envelope.ts";
import { plainLine } from "#shared/plain-line.ts";
import { safeCut } from "#shared/safe-cut.ts";

/** So much of an alert decides its preview, so that a list reads no whole alerts. */
export const PREVIEW_HEAD = 4_000;
/** The most that a preview has. */
export const MAX_PREVIEW = 200;

/** The members that name an alert, as letters and digits in small, the most telling ones first. */
const TELLING: readonly (readonly string[])[] = [
  ["title", "problemtitle", "alerttitle", "incidenttitle", "eventtitle", "headline"],
  ["summary", "shortdescription"],
  [
    "alertname",
    "alarmname",
    "alertrule",
    "rulename",
    "monitorname",
    "conditionname",
    "searchname",
    "checkname",
  ],
  ["subject"],
  ["message", "msg", "text", "fallback"],
  ["description", "body"],
  ["name", "displayname"],
  ["detailtype", "eventtype", "eventname", "reason", "newstatereason", "type"],
];
const RANKS = new Map(TELLING.flatMap((names, rank) => names.map((name) => [name, rank] as const)));
const ALERT_NAME_RANK = 2;
/** The rank for a mail or a notification: its subject is written for people. */
const SUBJECT_RANK = 0.5;

/** The members around what an alert is about; what is in others names something else, unless nothing else is there. */
const AROUND = new Set(
  (
    "alert alerts event events incident issue problem data detail details payload body message msg records sns result results " +
    "content attachments embeds essentials annotations commonannotations labels commonlabels grouplabels alertcontext monitor check " +
    "condition rule evalmatches object params properties database64"
  ).split(" "),
);
const LABELS = /labels$/u;
const MAX_DEPTH = 12;
const MAX_VALUES = 2_000;

/** A member that may name the alert; of two the one with the smaller place counts. */
interface PreviewLine {
  readonly place: readonly [outside: number, rank: number, depth: number];
  readonly text: string;
}

/** The value of an alert in JSON or YAML, or of its first PREVIEW_HEAD characters; null for other texts. */
export function alertStructure(alert: string): unknown {
  return structureOf(headOf(alert)) ?? null;
}

function headOf(alert: string): string {
  return alert.slice(0, safeCut(alert, PREVIEW_HEAD));
}

/**
 * The line by which people recognise an alert: its title where it has a structure with one, else its first line that says something.
 * Those who have its structure (`alertStructure`) give it.
 */
export function alertPreview(alert: string, value: unknown = alertStructure(alert)): string {
  const head = headOf(alert);
  const title = value === null ? titleInLines(head) : titleIn(value);
  const text = title ?? (plainLine(head) || head.replaceAll(/\s+/gu, " ").trim());
  return text.length > MAX_PREVIEW ? `${text.slice(0, safeCut(text, MAX_PREVIEW - 1))}…` : text;
}

/** The value of JSON or YAML; undefined for other texts, whose first line says most. */
function structureOf(text: string): unknown {
  if (/^[\s\uFEFF]*[[{]/u.test(text)) return readJsonHead(text.replace(/^\uFEFF/u, ""));
  if (!isMember(text)) return undefined;
  // The last line may be half of one.
  for (const part of [text, text.slice(0, Math.max(0, text.lastIndexOf("\n")))]) {
    try {
      const document = parseDocument(part, { logLevel: "silent" });
      if (document.errors.length > 0) continue;
      const value: unknown = document.toJS({ maxAliasCount: 10 });
      if (typeof value === "object" && value !== null) return value;
    } catch {
      // Too many aliases: only almost YAML.
    }
  }
  return undefined;
}

/** True if the first line is a member in YAML, or a header of a mail. */
function isMember(text: string): boolean {
  return MEMBER.test(text.split("\n").find((line) => line.trim() !== "") ?? "");
}

const MEMBER = /^\s*(?:- )?(?<key>[\w-]+):(?:\s+(?<value>\S.*))?$/u;

/** The title in lines like those of a mail, which are only almost YAML. */
function titleInLines(text: string): string | undefined {
  if (!isMember(text)) return undefined;
  const members = text.split("\n").map((line) => MEMBER.exec(line.trimEnd())?.groups);
  return titleIn(Object.fromEntries(members.map((one) => [one?.["key"] ?? "", one?.["value"] ?? ""])));
}

/** The position of a value: its depth, whether within something that the alert is not about, and whether among labels. */
interface LinePosition {
  readonly depth: number;
  readonly outside: number;
  readonly isLabels: boolean;
}

function titleIn(value: unknown): string | undefined {
  let best: PreviewLine | undefined;
  let values = 0;
  const visit = (at: unknown, where: LinePosition): void => {
    values += 1;
    if (values > MAX_VALUES || where.depth > MAX_DEPTH || typeof at !== "object" || at === null) return;
    const isList = Array.isArray(at);
    const isNotified = "Subject" in at || ("subject" in at && "message" in at);
    for (const [key, member] of Object.entries<unknown>({ ...at })) {
      const name = key.toLowerCase().replaceAll(/[^a-z\d]/gu, "");
      const inner = typeof member === "string" ? innerOf(name, member) : member;
      const rank = isNotified && name === "subject" ? SUBJECT_RANK : RANKS.get(name);
      if (typeof inner === "string" && rank !== undefined) {
        const candidate = candidateOf(inner, rank, where);
        if (isBefore(candidate?.place, best?.place)) best = candidate;
      } else {
        visit(inner, {
          depth: where.depth + 1,
          outside: isList || AROUND.has(name) ? where.outside : 1,
          isLabels: LABELS.test(name) || (isList && where.isLabels),
        });
      }
    }
  };
  visit(value, { depth: 0, outside: 0, isLabels: false });
  return best?.text;
}

/** Only the name of the alert counts among labels. */
function candidateOf(value: string, rank: number, where: LinePosition): PreviewLine | undefined {
  if (where.isLabels && rank !== ALERT_NAME_RANK) return undefined;
  const text = titleOf(value);
  return text === "" ? undefined : { place: [where.outside, rank, where.depth], text };
}

/** The content of a text: JSON, or a text in Base64 where envelopes have one. */
function innerOf(name: string, text: string): unknown {
  const decoded = name === "data" || name === "database64" ? (decodeBase64Text(text) ?? text) : text;
  const value = /^\s*[[{]/u.test(decoded) ? readJsonHead(decoded) : undefined;
  return typeof value === "object" && value !== null ? value : decoded;
}

/** An address or an identifier names nothing for people. */
function titleOf(text: string): string {
  const line = plainLine(text);
  return /^(?:https?:\/\/\S+|[\da-f-]{32,})$/iu.test(line) ? "" : line;
}

function isBefore(one: readonly number[] | undefined, other: readonly number[] | undefined): boolean {
  if (one === undefined || other === undefined) return one !== undefined;
  const different = one.findIndex((part, index) => part !== other[index]);
  return different !== -1 && (one[different] ?? 0) < (other[different] ?? 0);
}

/**
 * The value of JSON of which the end may be missing: what is complete of it. Of several documents in a row the first one. Undefined for
 * a text that is none.
 */
function readJsonHead(text: string): unknown {
  try {
    const value: unknown = JSON.parse(completed(text));
    return value;
  } catch {
    return undefined;
  }
}

/** The text up to the last complete member or element, with the brackets that close it. */
function completed(text: string): string {
  let closing = "";
  let isString = false;
  let end = { at: 0, closing: "" };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (isString) {
      if (character === "\\") at += 1;
      else if (character === '"') isString = false;
    } else if (character === '"') {
      isString = true;
    } else if (character === "{" || character === "[") {
      closing = `${character === "{" ? "}" : "]"}${closing}`;
      end = { at: at + 1, closing };
    } else if (character === "}" || character === "]") {
      closing = closing.slice(1);
      end = { at: at + 1, closing };
      if (closing === "") break;
    } else if (character === ",") {
      end = { at, closing };
    }
  }
  return text.slice(0, end.at) + end.closing;
}
