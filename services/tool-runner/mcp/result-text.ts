import { isDeepStrictEqual } from "node:util";
import { isExactNumber, parseExactJson } from "#shared/exact-json.ts";
import { contentOf, type CallResult } from "./call-result.ts";

const EMPTY = "(empty result)";
const NO_CONTENT = "[a part that is no content of the protocol, not shown]";
const MAX_TYPE_CHARS = 80;

/**
 * A result as the text that a model reads: texts and embedded texts joined by newlines, links and everything that is no
 * text as one line each, parts that the protocol does not know included. Structured content is added unless a text says the
 * same. The text of a text is the same text. `seams` are the places of the newlines that join the parts: a server may have
 * split a value there. Each part is changed by `clean` before.
 */
export function joinParts(
  result: CallResult,
  clean: (part: string) => string = (part) => part,
): { readonly text: string; readonly seams: readonly number[] } {
  const texts = partTexts(result)
    .map(clean)
    .filter((part) => part !== "");
  const seams: number[] = [];
  let at = -1;
  for (const { length } of texts.slice(0, -1)) {
    at += length + 1;
    seams.push(at);
  }
  return { text: texts.length === 0 ? EMPTY : texts.join("\n"), seams };
}

/** The text of each part. */
export function partTexts({ content = [], structuredContent }: CallResult): readonly string[] {
  const parts = content.map(partText);
  const isStructured = structuredContent !== undefined && structuredContent !== null;
  if (isStructured && !content.some((part) => saysTheSame(part, structuredContent))) {
    parts.push(JSON.stringify(structuredContent, null, 2));
  }
  return parts;
}

function partText(found: unknown): string {
  const part = contentOf(found);
  if (part === undefined) return unknownText(found);
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
    case "audio":
      return `[${part.type}: ${part.mimeType}, ${decodedBytes(part.data)} bytes, not shown]`;
    case "resource_link": {
      const size = part.size === undefined ? [] : [`${part.size} bytes`];
      const { name, uri, mimeType } = part;
      const details = [name, uri, mimeType].filter((detail) => detail !== undefined).concat(size);
      return `[resource ${details.join(" ")}]`;
    }
    case "resource": {
      const { uri = "without address", mimeType = "unknown type", text, blob } = part.resource;
      if (text !== undefined) return `[resource ${uri}]\n${text}`;
      return `[resource ${uri}: ${mimeType}, ${decodedBytes(blob ?? "")} bytes, not shown]`;
    }
    default:
      return part satisfies never;
  }
}

/** A part of another kind: what it was, and its text if it has one. */
function unknownText(part: unknown): string {
  if (typeof part === "string") return part;
  if (typeof part !== "object" || part === null || isExactNumber(part)) return NO_CONTENT;
  const type = "type" in part && typeof part.type === "string" ? part.type : "without type";
  const name = JSON.stringify(type.slice(0, MAX_TYPE_CHARS));
  const written: unknown = "text" in part ? part.text : undefined;
  const isText = typeof written === "string" || written === undefined || written === null;
  const text = isText ? (written ?? "") : JSON.stringify(written);
  return `[a part of another kind: ${name}, not shown${text === "" ? "" : " but for its text"}]${text === "" ? "" : `\n${text}`}`;
}

/** Structured content that is only the text under a name says the same as the text. */
function saysTheSame(found: unknown, structured: unknown): boolean {
  const part = contentOf(found);
  if (part?.type !== "text") return false;
  if (typeof structured === "object" && structured !== null) {
    const values: readonly unknown[] = Object.values(structured);
    if (values.length === 1 && values[0] === part.text) return true;
  }
  if (!/^\s*[[{"\d\-tfn]/u.test(part.text)) return false;
  try {
    return isDeepStrictEqual(parseExactJson(part.text), structured);
  } catch {
    return false;
  }
}

function decodedBytes(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return Math.floor((base64.length * 3) / 4) - padding;
}
