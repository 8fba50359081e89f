import { allLanesOf, type TimelineEntry, type AgentLane, type SessionView } from "./session-view.ts";

const MAX_ARGUMENTS = 160;

/** A call's arguments on one line: `namespace=shop pod="a b"`; as the model wrote them where they are no object. */
export function argumentsLine(written: string): string {
  const members = membersOf(written);
  const line =
    members === undefined
      ? written.replaceAll(/\s+/gu, " ")
      : members.map(([name, value]) => `${name}=${valueText(value)}`).join(" ");
  return line.length > MAX_ARGUMENTS ? `${line.slice(0, MAX_ARGUMENTS)}…` : line;
}

/** The arguments on one line if they are few and short, and none of them is an object or a list. */
export function shortArguments(written: string): string | undefined {
  const members = membersOf(written);
  if (members?.some(([, value]) => typeof value === "object" && value !== null) !== false) return undefined;
  const line = members.map(([name, value]) => `${name}=${valueText(value)}`).join(" ");
  return line.length <= MAX_ARGUMENTS ? line : undefined;
}

function membersOf(written: string): readonly (readonly [string, unknown])[] | undefined {
  if (!written.trimStart().startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(written);
    return typeof value === "object" && value !== null ? Object.entries(value) : undefined;
  } catch {
    // Not JSON: ReAct agents may write arguments in another form.
    return undefined;
  }
}

function valueText(value: unknown): string {
  if (typeof value === "string" && /^[\w./:@-]+$/u.test(value)) return value;
  // Queries have quotes in them; escapes would make them hard to read and to copy.
  if (typeof value === "string" && /^[^'\p{Cc}]*"[^'\p{Cc}]*$/u.test(value)) return `'${value}'`;
  return JSON.stringify(value);
}

/** The error of an agent without what only programs read of it. */
export function plainError(content: string): string {
  return content.replace(/ \(code: [^,()]+, retryable: (?:true|false)\)$/u, "");
}

/**
 * The entries that a lane shows: a response that is repeated as the final analysis behind it is left out, and of equal errors one after
 * another the last one stands for all.
 */
export function shownEntries({ entries }: Pick<AgentLane, "entries">): readonly TimelineEntry[] {
  const kept = entries.filter((entry, position) => {
    if (entry.type !== "llm_response") return true;
    const next = entries[position + 1];
    return next?.type !== "final_analysis" || next.content !== entry.content;
  });
  const shown: TimelineEntry[] = [];
  for (const entry of kept) {
    const before = shown.at(-1);
    const isSame = entry.type === "error" && before?.type === "error" && before.content === entry.content;
    if (isSame) shown.splice(-1, 1, { ...entry, repeats: (before.repeats ?? 1) + 1 });
    else shown.push(entry);
  }
  return shown;
}

/** The entries of a view that follow event `seq`. */
export function countSince(view: SessionView, seq: number): number {
  return allLanesOf(view).reduce(
    (sum, { entries }) => sum + entries.filter((entry) => entry.seq > seq).length,
    0,
  );
}
