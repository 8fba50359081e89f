import type { Terminal } from "../command.ts";
import { durationText, printable } from "../terminal/terminal-style.ts";
import type { ReplayedCassette } from "./replayed-cassette.ts";

/** The length of a text that differs, in code units. */
const MAX_SHOWN = 400;

/** The lines about a replayed cassette, for people. */
export function showResult({ name, result, durationMs }: ReplayedCassette, style: Terminal["style"]): string {
  const took = style.dim(`(${durationText(durationMs)})`);
  const title = printable(name);
  if (result.kind === "error") return `${style.red("error")}      ${title}: ${printable(result.message)}\n`;
  const remarks = result.notReplayed.map((remark) => `  not replayed: ${printable(remark)}\n`).join("");
  if (result.kind === "identical") return `${style.green("identical")}  ${title} ${took}\n${remarks}`;
  const { divergence } = result;
  const { agent, stage, execution_id, step, seq, pointer, recorded, now } = divergence;
  const place = [stage === null ? undefined : `stage ${stage}`, agent === null ? undefined : `agent ${agent}`]
    .filter((text) => text !== undefined)
    .join(", ");
  const lines: [string, string | null][] = [
    ["where", place === "" ? "the session" : place],
    ["execution", execution_id],
    ["step", step],
    ["event", seq === null ? null : String(seq)],
    ["pointer", pointer === "" ? "(the whole value)" : pointer],
    ["recorded", around(recorded, now)],
    ["now", around(now, recorded)],
  ];
  const block = lines
    .filter((line): line is [string, string] => line[1] !== null)
    .map(
      ([label, text]) => `  ${label.padEnd(10)}${printable(text).replaceAll("\n", `\n${" ".repeat(12)}`)}\n`,
    )
    .join("");
  return `${style.red("diverged")}   ${title} ${took}\n${block}${remarks}`;
}

/** The part of a long text around the first place in which it differs from the other. */
function around(text: string, other: string): string {
  if (text.length <= MAX_SHOWN) return text;
  let at = 0;
  while (at < text.length && text[at] === other[at]) at += 1;
  const start = Math.max(0, at - MAX_SHOWN / 4);
  const part = text.slice(start, start + MAX_SHOWN).toWellFormed();
  return `${start > 0 ? "…" : ""}${part}${start + MAX_SHOWN < text.length ? "…" : ""}`;
}
