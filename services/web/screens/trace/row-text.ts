import { shownText } from "../../session/shown-text.ts";
import { RARE_TEXT } from "../rare-text.ts";
import type { TraceRow } from "./trace-rows.ts";

const KINDS: Readonly<Record<string, string>> = RARE_TEXT.trace.kinds;

/** What kind of call or stage a row is, in words. */
export function kindText(detail: string): string {
  return KINDS[detail] ?? detail;
}

/** The name of a call, agent or stage. */
export function rowName(row: TraceRow): string {
  return shownText(titleOf(row));
}

/** The visible name of a row, with what a call did. */
export function rowTitle(row: TraceRow): string {
  return shownText([titleOf(row), row.did, row.count && `× ${row.count}`].filter(Boolean).join(" "));
}

function titleOf({ kind, title, detail, place }: TraceRow): string {
  // A model is called many times: what for says more than its name, which the agent's row has.
  if (kind === "llm") return place === undefined ? kindText(detail) : `${kindText(detail)} ${place}`;
  if (kind === "execution" && detail !== "") return `${title} · ${detail}`;
  return detail === "tool_list" ? `${title}: ${kindText(detail)}` : title;
}
