import { isDeepStrictEqual } from "node:util";
import { isJsonObject } from "#shared/json-object.ts";
import { isMap, isPair, isScalar, parse, parseDocument, type Pair, type YAMLMap } from "yaml";

const SECTION = "mcp_servers";

/**
 * The text of tarsy.yaml with a server whose lines are `entry`, without indentation. Everything else stays as it is written, comments
 * too. Throws an Error if the text is no YAML, has the server, or has its section in braces.
 */
export function insertServer(text: string, id: string, entry: readonly string[]): string {
  const section = sectionOf(text);
  if (pairOf(section?.value, id) !== undefined) {
    throw new Error(`${SECTION} has ${id} already: it is left as it is`);
  }
  const first = isMap(section?.value) ? section.value.items[0] : undefined;
  const start = isScalar(first?.key) ? (first.key.range?.[0] ?? 0) : undefined;
  const indent = start === undefined ? "  " : " ".repeat(start - lineStart(text, start));
  const lines = [`${indent}${id}:`, ...entry.map((line) => `${indent}  ${line}`)].map((line) => `${line}\n`);
  if (section === undefined) {
    const body = text === "" || text.endsWith("\n") ? text : `${text}\n`;
    return checked(text, `${body}${body.trim() === "" ? "" : "\n"}${SECTION}:\n${lines.join("")}`, id);
  }
  const at = lineEnd(text, keyStart(section));
  const before = text.endsWith("\n") || at < text.length ? text.slice(0, at) : `${text}\n`;
  return checked(text, `${before}${lines.join("")}${text.slice(at)}`, id);
}

/** True if the text of tarsy.yaml has a server. Throws an Error as `insertServer`. */
export function hasServer(text: string, id: string): boolean {
  return pairOf(sectionOf(text)?.value, id) !== undefined;
}

/** The text of tarsy.yaml without a server, and without its section if that was the only one. Throws an Error as `insertServer`. */
export function removeServer(text: string, id: string): string {
  const section = sectionOf(text);
  const pair = pairOf(section?.value, id);
  if (section === undefined || pair === undefined) throw new Error(`${SECTION} has no ${id}`);
  const isOnly = isMap(section.value) && section.value.items.length === 1;
  const gone = isOnly ? section : pair;
  const start = lineStart(text, keyStart(gone));
  const end = lineEnd(text, start + text.slice(start, valueEnd(gone)).trimEnd().length);
  return checked(text, text.slice(0, start) + text.slice(end), id);
}

/** Refuses an edit that changes anything but the one server. */
function checked(before: string, after: string, id: string): string {
  const others = (text: string) => {
    const file: unknown = parse(withoutTemplates(text));
    const { [SECTION]: servers, ...rest } = isJsonObject(file) ? file : {};
    return [rest, Object.entries(isJsonObject(servers) ? servers : {}).filter(([name]) => name !== id)];
  };
  if (isDeepStrictEqual(others(before), others(after))) return after;
  throw new Error(`tarsy.yaml cannot be changed for ${id} without changing something else: edit it yourself`);
}

function sectionOf(text: string): Pair | undefined {
  const document = parseDocument(withoutTemplates(text));
  if (document.errors.length > 0) {
    throw new Error("tarsy.yaml is no valid YAML: `npm run config -- check` says where");
  }
  const section = pairOf(document.contents, SECTION);
  if (isMap(section?.value) && section.value.flow === true) {
    throw new Error(`tarsy.yaml has ${SECTION} in braces: write it in lines first`);
  }
  return section;
}

/** Templates are no YAML where they are not quoted. Every position stays. */
function withoutTemplates(text: string): string {
  return text.replaceAll(/\{\{[^\n]*?\}\}/gu, (template) => "x".repeat(template.length));
}

function pairOf(map: unknown, name: string): YAMLMap["items"][number] | undefined {
  if (!isMap(map)) return undefined;
  return map.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === name);
}

function keyStart({ key }: Pair): number {
  return isScalar(key) ? (key.range?.[0] ?? 0) : 0;
}

function valueEnd({ key, value }: Pair): number {
  const node = isMap(value) || isScalar(value) ? value : key;
  return (isMap(node) || isScalar(node) ? node.range?.[1] : undefined) ?? 0;
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

/** The position after the end of the line. */
function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end + 1;
}
