import type { CommandCall } from "../command.ts";
import { askInTerminal } from "../terminal/ask-in-terminal.ts";
import type { Inspection, PackedServer } from "./inspect-server.ts";
import { definitionLines, inspectionLines } from "./shown-tools.ts";

/** Shows what a server said, and asks. The hashes to accept; undefined if the answer is no. */
export async function decide(
  call: CommandCall,
  { id }: PackedServer,
  inspection: Inspection,
): Promise<Readonly<Record<string, string>> | undefined> {
  const { terminal } = call;
  terminal.write(`${inspectionLines(inspection).join("\n")}\n`);
  if (inspection.problem !== undefined) return undefined;
  if (inspection.probe !== undefined && !(await isAgreed(call, `the probe of ${id} failed: go on?`))) {
    return undefined;
  }
  const open = inspection.tools.filter(({ state, isDenied }) => state !== "accepted" && !isDenied);
  if (open.length === 0) return {};
  terminal.write(`${definitionLines(open).join("\n")}\n`);
  const count = open.length === 1 ? "this tool" : `these ${open.length} tools`;
  if (!(await isAgreed(call, `accept ${count} of ${id} as shown?`))) return undefined;
  return Object.fromEntries(open.map(({ name, hash }) => [name, hash]));
}

/** Asks the person at the terminal; without one, only `--yes` agrees. */
export async function isAgreed({ flag, terminal, signal }: CommandCall, question: string): Promise<boolean> {
  if (flag("yes")) return true;
  if (!terminal.isInteractive) {
    terminal.warn(`${question} There is no terminal for an answer: use --yes\n`);
    return false;
  }
  return /^y(?:es)?$/iu.test((await askInTerminal(`${question} [y/N] `, signal)).trim());
}
