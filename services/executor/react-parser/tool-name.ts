import { stripFence } from "./code-fence.ts";

const TOOL_NAME = /^[\w-]+\.[\w-]+$/u;

/** A tool's name without the backticks, the emphasis or the code fence around it. */
export function cleanToolName(text: string): string {
  const name = stripFence(text.trim());
  let start = 0;
  let end = name.length;
  while (start < end && isWrapping(name.charAt(start))) start += 1;
  while (end > start && isWrapping(name.charAt(end - 1))) end -= 1;
  return name.slice(start, end);
}

/**
 * The tool's name in a text that has an input but no Action header, such as `ACTION: k8s.get_pods` or `I will take
 * action k8s.get_pods`; empty if the text names none. `inputAt` is the offset of its first Action Input header.
 */
export function recoverToolName(text: string, inputAt: number): string {
  const literal = /action input:/iu.exec(text)?.index ?? inputAt;
  const before = text.slice(0, Math.min(literal, inputAt));
  const at = lastEnd(before, /\baction:/giu) ?? lastEnd(before, /\baction\b/giu);
  if (at === undefined) return "";
  const rest = before
    .slice(at)
    .replace(/^[*_`]{1,3}/u, "")
    .trimStart();
  const lineEnd = rest.indexOf("\n");
  const name = cleanToolName(lineEnd === -1 ? rest : rest.slice(0, lineEnd));
  return TOOL_NAME.test(name) ? name : "";
}

function lastEnd(text: string, pattern: RegExp): number | undefined {
  let end: number | undefined;
  for (const match of text.matchAll(pattern)) end = match.index + match[0].length;
  return end;
}

function isWrapping(char: string): boolean {
  return char === "*" || char === "`" || char.trim() === "";
}
