import { stripFence } from "./code-fence.ts";

/** A tool's name without the backticks, the emphasis or the code fence around it. */
export function cleanToolName(text: string): string {
  const name = stripFence(text.trim());
  let start = 0;
  let end = name.length;
  while (start < end && isWrapping(name.charAt(start))) start += 1;
  while (end > start && isWrapping(name.charAt(end - 1))) end -= 1;
  return name.slice(start, end);
}

function isWrapping(char: string): boolean {
  return char === "*" || char === "`" || char.trim() === "";
}
