import { safeCut } from "#shared/safe-cut.ts";

/** So much of an alert decides its preview, so that a list reads no whole alerts. */
export const PREVIEW_HEAD = 4_000;
/** The most that a preview has. */
export const MAX_PREVIEW = 200;

/** The members that name an alert, the most telling one first. */
const TELLING = ["title", "summary", "alertname", "alert_name", "message", "description", "name"];

/** The line by which people recognise an alert: its title where it is JSON or YAML with one, else its first line. */
export function alertPreview(alert: string): string {
  const head = alert.slice(0, safeCut(alert, PREVIEW_HEAD));
  const line = /^\s*[[{]/u.test(head) ? titleInJson(head) : titleInYaml(head);
  const text = (line ?? firstLine(head)).replaceAll(/\s+/gu, " ").trim();
  return text.length > MAX_PREVIEW ? `${text.slice(0, safeCut(text, MAX_PREVIEW - 1))}…` : text;
}

function firstLine(text: string): string {
  return text.split("\n").find((line) => line.trim() !== "") ?? "";
}

/** A string, a bracket, or a colon. The end of the text may be missing. */
const TOKEN = /"(?<text>(?:[^"\\]|\\.)*)"|[[\]{}]|:/gu;

/** The most telling member, of equal ones the outermost, of those the first. */
function titleInJson(json: string): string | undefined {
  let depth = 0;
  let key: string | undefined;
  let before: string | undefined;
  let best: { readonly rank: number; readonly depth: number; readonly text: string } | undefined;
  for (const { 0: token, groups } of json.matchAll(TOKEN)) {
    const text = groups?.["text"];
    if (token === ":") {
      key = before;
    } else if (text === undefined) {
      depth += token === "{" || token === "[" ? 1 : -1;
      key = undefined;
    } else {
      const rank = key === undefined ? -1 : TELLING.indexOf(key);
      const isBetter = best === undefined || rank < best.rank || (rank === best.rank && depth < best.depth);
      if (rank !== -1 && isBetter && text.trim() !== "") best = { rank, depth, text };
      before = key === undefined ? text : undefined;
      key = undefined;
    }
  }
  return best && firstLine(unescaped(best.text));
}

function unescaped(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    // Only almost JSON: as it stands there.
    return text;
  }
}

const YAML_LINE = /^(?<indent>\s*)(?:- )?(?<key>\w+):(?:\s+(?<value>\S.*))?$/u;

/** Of a text whose first line is a member in YAML; other texts tell most in their first line. */
function titleInYaml(text: string): string | undefined {
  if (!YAML_LINE.test(firstLine(text))) return undefined;
  const lines = text.split("\n");
  let best: { readonly rank: number; readonly text: string } | undefined;
  for (const [index, line] of lines.entries()) {
    const { key = "", value, indent = "" } = YAML_LINE.exec(line)?.groups ?? {};
    const rank = TELLING.indexOf(key);
    if (rank === -1 || value === undefined || (best !== undefined && rank >= best.rank)) continue;
    const content = /^[|>][-+]?$/u.test(value) ? block(lines.slice(index + 1), indent) : unquoted(value);
    if (content.trim() !== "") best = { rank, text: content };
  }
  return best?.text;
}

/** The lines that are indented more than their member. */
function block(lines: readonly string[], indent: string): string {
  const end = lines.findIndex((line) => !line.startsWith(`${indent} `));
  return lines.slice(0, end === -1 ? undefined : end).join(" ");
}

function unquoted(value: string): string {
  return value.replace(/^(?<quote>["'])(?<inner>.*)\k<quote>$/u, "$<inner>");
}
