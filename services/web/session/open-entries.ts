import type { TimelineEntry } from "./session-view.ts";

/** Which entries the reader has asked to be open. */
export interface OpenRules {
  /** All of them, or all closed; undefined for as each is by default. */
  readonly all: boolean | undefined;
  readonly tools: boolean | undefined;
  readonly thoughts: boolean | undefined;
  /** By entry: what the reader did with it last. */
  readonly entries: ReadonlyMap<string, boolean>;
}

export const DEFAULT_OPEN: OpenRules = {
  all: undefined,
  tools: undefined,
  thoughts: undefined,
  entries: new Map(),
};

/** Whether an entry shows more than its line. By default failures, questions and what is
 * being written do; conclusions stand above all entries. */
export function isOpen(entry: TimelineEntry, rules: OpenRules): boolean {
  const own = rules.entries.get(entry.id);
  if (own !== undefined) return own;
  if (entry.call !== undefined && rules.tools !== undefined) return rules.tools;
  if (entry.type === "llm_thinking" && rules.thoughts !== undefined) return rules.thoughts;
  return rules.all ?? isOpenByDefault(entry);
}

function isOpenByDefault({ type, status, call, approval }: TimelineEntry): boolean {
  if (status === "failed" || type === "error") return true;
  if (approval !== undefined) return approval.state === "awaiting_approval";
  return call === undefined && status === "streaming";
}

/** The rules after the key for all entries, for tool calls or for reasoning: it opens them, and closes them the next time. */
export function toggleOpen(rules: OpenRules, what: "all" | "tools" | "thoughts"): OpenRules {
  const opens = rules[what] !== true;
  if (what === "all") return { ...DEFAULT_OPEN, all: opens };
  return { ...rules, [what]: opens, entries: new Map() };
}

/** The rules after one entry was opened or closed. */
export function setOpen(rules: OpenRules, entryId: string, opens: boolean): OpenRules {
  return { ...rules, entries: new Map(rules.entries).set(entryId, opens) };
}
