const MAX_CHARS = 400;
const BEFORE = 80;

/** Two values that differ as texts, cut to the part around the first character that differs. */
export function divergenceTexts(recorded: unknown, now: unknown): { recorded: string; now: string } {
  const [left, right] = [textOf(recorded), textOf(now)];
  let at = 0;
  while (at < left.length && at < right.length && left[at] === right[at]) at += 1;
  return { recorded: around(left, at), now: around(right, at) };
}

function textOf(value: unknown): string {
  if (value === undefined) return "(nothing)";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function around(text: string, at: number): string {
  if (text.length <= MAX_CHARS) return text;
  const from = Math.max(0, Math.min(at - BEFORE, text.length - MAX_CHARS));
  const cut = text.slice(from, from + MAX_CHARS);
  return `${from > 0 ? "…" : ""}${cut}${from + MAX_CHARS < text.length ? "…" : ""}`.toWellFormed();
}
