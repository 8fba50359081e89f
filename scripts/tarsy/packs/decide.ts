import type { CommandCall } from "../command.ts";
import { askInTerminal } from "../terminal/ask-in-terminal.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { printable } from "../terminal/terminal-style.ts";
import { differenceLines, type ServerTexts } from "./accepted-texts.ts";
import type { InspectedTool, Inspection, PackedServer } from "./inspect-server.ts";

const MAX_PROBE = 200;

/** The lines about a server that was asked: each tool with its effect, and what is not as it was accepted. */
function inspectionLines(inspection: Inspection): string[] {
  const { version, tools, leftOut, gone, problem, probe, isProbed } = inspection;
  if (problem !== undefined) return [`start      ${printable(problem)}`];
  const width = Math.max(0, ...tools.map(({ name }) => name.length));
  return [
    `start      ${printable(version ?? "it says no version")}: ${tools.length} tools`,
    ...tools.map((tool) => `  ${tool.name.padEnd(width)}  ${whatItIs(tool)}`),
    ...gone.map((name) => `  ${name.padEnd(width)}  not listed any more`),
    ...(leftOut === "" ? [] : [`limits     ${printable(leftOut)}`]),
    `probe      ${printable(probe?.slice(0, safeCut(probe, MAX_PROBE)) ?? (isProbed ? "done" : "the pack has none"))}`,
  ];
}

/** The definitions of tools, for a person who decides about them: whole, or what differs from the accepted text in `known`. */
function definitionLines(tools: readonly InspectedTool[], known: ServerTexts): string[] {
  return tools.flatMap((tool) => {
    const { name, state, effect, isEffectKnown, description, schema } = tool;
    const text = differenceLines(tool, known) ?? [...description.split("\n"), schema];
    return [
      `${state === "new" ? "+" : "~"} ${name}: ${state}, ${isEffectKnown ? effect : "effect unknown, counts as write"}`,
      ...text.map((line) => `    ${printable(line)}`),
    ];
  });
}

function whatItIs({ effect, isEffectKnown, needsApproval, isDenied, state }: InspectedTool): string {
  return [
    isEffectKnown ? effect : "effect unknown",
    ...(isDenied ? ["denied"] : needsApproval ? ["needs approval"] : []),
    ...(state === "accepted" ? [] : [state]),
  ].join(", ");
}

/**
 * Shows what a server said, and of changed tools what differs from the texts in `known`, and asks. The tools to accept; undefined if the
 * answer is no.
 */
export async function decide(
  call: CommandCall,
  { id }: PackedServer,
  inspection: Inspection,
  known: ServerTexts = {},
): Promise<readonly InspectedTool[] | undefined> {
  const { terminal } = call;
  terminal.write(`${inspectionLines(inspection).join("\n")}\n`);
  if (inspection.problem !== undefined) return undefined;
  if (inspection.probe !== undefined && !(await isAgreed(call, `the probe of ${id} failed: go on?`))) {
    return undefined;
  }
  const open = inspection.tools.filter(({ state, isDenied }) => state !== "accepted" && !isDenied);
  if (open.length === 0) return [];
  terminal.write(`${definitionLines(open, known).join("\n")}\n`);
  const count = open.length === 1 ? "this tool" : `these ${open.length} tools`;
  return (await isAgreed(call, `accept ${count} of ${id} as shown?`)) ? open : undefined;
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
