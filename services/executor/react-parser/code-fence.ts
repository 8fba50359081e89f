const FENCE_LINE = /^(?:`{3,}|~{3,})[\w+.-]{0,40}$/u;
const BARE_FENCE = /^(?:`{3,}|~{3,})$/u;

/** True for a line that opens, with or without a language tag, or closes a code block. */
function isFenceLine(line: string): boolean {
  const first = line.charAt(0);
  if (first !== "`" && first !== "~") return false;
  return line.length < 100 && FENCE_LINE.test(line);
}

/**
 * A section's trimmed text without the code fence around it and without the text after the closing fence. A closing
 * fence alone (the whole reply was fenced) and an opening fence alone (the reply was truncated) are removed as well.
 * Text that only contains a code block is returned unchanged.
 */
export function stripFence(text: string): string {
  const marker = text.startsWith("```") ? "```" : text.startsWith("~~~") ? "~~~" : undefined;
  if (marker === undefined) return stripQuotedJson(dropLastFence(text));
  const lineEnd = text.indexOf("\n");
  if (lineEnd === -1) return stripInlineFence(text, marker);
  const opening = text.slice(0, lineEnd).trim();
  // The fence is on the same line as the input, as in ```{"a": 1}.
  if (!isFenceLine(opening)) return stripInlineFence(text, marker);
  const lines = text.slice(lineEnd + 1).split("\n");
  const end = lines.findIndex((line) => line.trim().startsWith(marker) && BARE_FENCE.test(line.trim()));
  const body = (end === -1 ? lines : lines.slice(0, end)).join("\n").trim();
  if (end !== -1) return body;
  return body.endsWith(marker) ? body.slice(0, -marker.length).trimEnd() : body;
}

/** Removes a last line that closes a code block opened before the text began. */
export function dropLastFence(text: string): string {
  const start = text.lastIndexOf("\n") + 1;
  if (!isFenceLine(text.slice(start).trim())) return text;
  // With an even number of fence marks in the text, the last one closes a block of the text.
  const marks = text.split(text.slice(start).trim().slice(0, 3)).length - 1;
  return marks % 2 === 1 ? text.slice(0, start).trimEnd() : text;
}

function stripInlineFence(text: string, marker: string): string {
  let inner = text.slice(marker.length);
  if (inner.endsWith(marker)) inner = inner.slice(0, -marker.length);
  const tag = /^[A-Za-z]{1,20}(?=[\s{[])/u.exec(inner);
  return inner.slice(tag?.[0].length ?? 0).trim();
}

/** Removes single backticks around JSON; in other text they may be part of the value. */
function stripQuotedJson(text: string): string {
  if (text.length < 2 || !text.startsWith("`") || !text.endsWith("`")) return text;
  const inner = text.slice(1, -1).trim();
  return (inner.startsWith("{") || inner.startsWith("[")) && !inner.includes("`") ? inner : text;
}
