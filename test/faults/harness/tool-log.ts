import { readFile } from "node:fs/promises";
import { Type, type Static } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const Line = Type.Object({
  call_id: Type.String(),
  epoch: Type.Integer(),
  name: Type.String(),
  arguments: Type.String(),
  pid: Type.Integer(),
  /** RFC 3339 */
  time: Type.String(),
});
const parseLine = compileParser("line of the tool log", Line);

/** A call that a stub tool started. The tool writes it to the log before it does anything else. */
export type LoggedToolCall = Static<typeof Line>;

/** Reads every call that any stub tool has started so far, oldest first. */
export async function readToolLog(file: string): Promise<LoggedToolCall[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => parseLine(JSON.parse(line)));
}
