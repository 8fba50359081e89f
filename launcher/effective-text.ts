import { isMap, isPair, isScalar, parseDocument, type Document, type Pair } from "yaml";

/** A value of the configuration in force that stands instead of what is written. */
export interface Replaced {
  /** The value of `defaults.llm_provider`; undefined to leave what is written. */
  readonly provider: string | undefined;
  /** The entry of `mcp_servers` that is left out; undefined for none. */
  readonly server: string | undefined;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * The text of tarsy.yaml with a provider replaced and a server left out. Every line keeps its number, so that a mistake is reported where
 * the operator has written it. A text that is no valid YAML is returned as it is.
 */
export function effectiveText(text: string, { provider, server }: Replaced): string {
  const document = parseDocument(text);
  if (document.errors.length > 0) return text;
  const edits = [
    ...(provider === undefined ? [] : replaceProvider(document, provider)),
    ...(server === undefined ? [] : leaveOut(text, document, server)),
  ];
  // The last edit goes first, so that the offsets of the others stay.
  return edits
    .toSorted((one, other) => other.start - one.start)
    .reduce((edited, { start, end, text: by }) => edited.slice(0, start) + by + edited.slice(end), text);
}

function replaceProvider(document: Document, provider: string): Edit[] {
  const node = document.getIn(["defaults", "llm_provider"], true);
  if (!isScalar(node) || !node.range) return [];
  const [start, end] = node.range;
  return [{ start, end, text: provider }];
}

/** The text as a comment. Sections in braces are left as they are. */
function leaveOut(text: string, document: Document, server: string): Edit[] {
  const section = pairOf(document.contents, "mcp_servers");
  const entry = pairOf(section?.value, server);
  if (section === undefined || entry === undefined || !isMap(section.value)) return [];
  if (section.value.flow === true) return [];
  // A section without entries must not stay behind.
  const range = rangeOf(section.value.items.length === 1 ? section : entry);
  if (range === undefined) return [];
  const start = text.lastIndexOf("\n", range.start) + 1;
  const end = start + text.slice(start, range.end).trimEnd().length;
  return [{ start, end, text: text.slice(start, end).replaceAll(/^/gmu, "#") }];
}

function pairOf(map: unknown, name: string): Pair | undefined {
  if (!isMap(map)) return undefined;
  return map.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === name);
}

function rangeOf({ key, value }: Pair): { readonly start: number; readonly end: number } | undefined {
  const start = isScalar(key) ? key.range?.[0] : undefined;
  const end = isMap(value) ? value.range?.[1] : undefined;
  return start === undefined || end === undefined ? undefined : { start, end };
}
