/** A statement that only a Secret makes about itself, at the beginning of a line but for a prefix. */
const ANCHOR =
  /(?<![\w.-])["']?(?:kind["']?\s{0,3}:\s{0,3}["']?Secret|type["']?\s{0,3}:\s{0,3}["']?(?:Opaque\b|kubernetes\.io\/)|stringData["']?\s{0,3}:)/giu;
const MAX_PREFIX = 200;
/** The distance in which a line of a masked block is searched among those before, after a value of several lines has become one. */
const MAX_SKIP = 500;

/**
 * Masks Secrets in lines that begin with something else: line numbers, names of files, quotation marks, times and levels of a
 * log, marks of comments and changes. The prefix of the line that names the Secret gives that of the others. Linear.
 */
export function maskPrefixed(text: string, maskBlock: (block: string) => string): string {
  const parts: string[] = [];
  let copied = 0;
  ANCHOR.lastIndex = 0;
  for (let found = ANCHOR.exec(text); found !== null; found = ANCHOR.exec(text)) {
    const near = Math.max(copied, found.index - MAX_PREFIX - 1);
    const before = text.slice(near, found.index);
    const lineStart = near + before.lastIndexOf("\n") + 1;
    const shape = shapeOf(text.slice(lineStart, found.index));
    const isWhole = lineStart === copied || text[lineStart - 1] === "\n";
    if (shape === undefined || !isWhole) continue;
    const start = firstLine(text, lineStart, copied, shape);
    const end = lastLine(text, lineStart, shape);
    parts.push(text.slice(copied, start), maskLines(text.slice(start, end), shape, maskBlock));
    copied = end;
    ANCHOR.lastIndex = Math.max(end, ANCHOR.lastIndex);
  }
  parts.push(text.slice(copied));
  return parts.join("");
}

/** The beginning of lines with such a prefix: numbers differ, white space and levels, too. */
function shapeOf(prefix: string): RegExp | undefined {
  const trimmed = prefix.trim();
  if (trimmed === "" || prefix.length > MAX_PREFIX || /[{"']/u.test(prefix)) return undefined;
  if (/^[+-]$/u.test(trimmed)) return /^[ +-]/u;
  const own = trimmed.replace(/(?<=.)\s*-$/u, "");
  const pattern = own
    .split(/(\d+|\s+|[:-]|\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL)\b)/u)
    .map((part) => {
      if (/^\d+$/u.test(part)) return String.raw`\d{1,20}`;
      if (/^\s+$/u.test(part)) return String.raw`\s{1,20}`;
      if (part === ":" || part === "-") return "[:-]";
      if (/^[A-Z]{4,7}$/u.test(part)) return "[A-Z]{1,7}";
      return part.replaceAll(/[^\w]/gu, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
    })
    .join("");
  return new RegExp(`^[ \\t]{0,20}${pattern}`, "u");
}

function firstLine(text: string, from: number, limit: number, shape: RegExp): number {
  let start = from;
  while (start > limit) {
    const before = text.lastIndexOf("\n", start - 2) + 1;
    const line = text.slice(before, Math.min(start - 1, before + 2 * MAX_PREFIX));
    if (before < limit || !shape.test(line)) break;
    start = before;
  }
  return start;
}

function lastLine(text: string, from: number, shape: RegExp): number {
  for (let at = from; ;) {
    const feed = text.indexOf("\n", at);
    const end = feed === -1 ? text.length : feed;
    const line = text.slice(at, Math.min(end, at + 2 * MAX_PREFIX));
    if (line.trim() !== "" && !shape.test(line)) return at;
    if (feed === -1) return text.length;
    at = feed + 1;
  }
}

function maskLines(block: string, shape: RegExp, maskBlock: (block: string) => string): string {
  const prefixes: string[] = [];
  const bare = block.split("\n").map((line) => {
    const prefix = shape.exec(line)?.[0] ?? "";
    prefixes.push(prefix);
    return line.slice(prefix.length);
  });
  const before = bare.join("\n");
  const masked = maskBlock(before);
  if (masked === before) return block;
  const lines = masked.split("\n");
  const hasAll = lines.length === bare.length;
  let at = 0;
  return lines
    .map((line) => {
      if (!hasAll && line !== bare[at]) {
        const same = bare.slice(at, at + MAX_SKIP).indexOf(line);
        if (same > 0 && line !== "") at += same;
      }
      const prefix = prefixes[at] ?? "";
      at += 1;
      return prefix + line;
    })
    .join("\n");
}
