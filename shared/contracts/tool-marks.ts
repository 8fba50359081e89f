import type { ToolDescription } from "#shared/contracts/tool-list.ts";

const MARKS = ["read-only", "changes state", "asks a person"] as const;
type Mark = (typeof MARKS)[number];

/** The known facts of a tool, in brackets, for the model; empty if nothing is. */
function toolMarks({
  effect,
  effect_known,
  needs_approval,
}: Pick<ToolDescription, "effect" | "effect_known" | "needs_approval">): string {
  const marks: Mark[] = [];
  if (effect !== undefined && effect_known === true) {
    marks.push(effect === "read" ? "read-only" : "changes state");
  }
  if (needs_approval === true) marks.push("asks a person");
  return marks.map((mark) => `[${mark}]`).join(" ");
}

const CLAIMED = new RegExp(String.raw`\[\s*(${MARKS.join("|")})\s*\]`, "giu");

/** A tool's description after its marks. The server cannot write marks of its own. */
export function markedDescription(tool: ToolDescription): string {
  const description = tool.description.replaceAll(CLAIMED, "($1)");
  return [toolMarks(tool), description].filter((text) => text !== "").join(" ");
}
