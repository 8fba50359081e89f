import { safeCut } from "#shared/safe-cut.ts";
import { printable } from "../terminal/terminal-style.ts";
import type { InspectedTool, Inspection } from "./inspect-server.ts";

const MAX_PROBE = 200;

/** The lines about a server that was asked: each tool with its effect, and what is not as it was accepted. */
export function inspectionLines({ version, tools, gone, problem, probe, isProbed }: Inspection): string[] {
  if (problem !== undefined) return [`start      ${printable(problem)}`];
  const width = Math.max(0, ...tools.map(({ name }) => name.length));
  return [
    `start      ${printable(version ?? "it says no version")}: ${tools.length} tools`,
    ...tools.map((tool) => `  ${tool.name.padEnd(width)}  ${whatItIs(tool)}`),
    ...gone.map((name) => `  ${name.padEnd(width)}  not listed any more`),
    `probe      ${printable(probe?.slice(0, safeCut(probe, MAX_PROBE)) ?? (isProbed ? "done" : "the pack has none"))}`,
  ];
}

/** Whole definitions of tools, for a person who decides about them. */
export function definitionLines(tools: readonly InspectedTool[]): string[] {
  return tools.flatMap(({ name, state, effect, isEffectKnown, description, schema }) => [
    `${state === "new" ? "+" : "~"} ${name}: ${state}, ${isEffectKnown ? effect : "effect unknown, counts as write"}`,
    ...description.split("\n").map((line) => `    ${printable(line)}`),
    `    ${printable(schema)}`,
  ]);
}

function whatItIs({ effect, isEffectKnown, needsApproval, isDenied, state }: InspectedTool): string {
  return [
    isEffectKnown ? effect : "effect unknown",
    ...(isDenied ? ["denied"] : needsApproval ? ["needs approval"] : []),
    ...(state === "accepted" ? [] : [state]),
  ].join(", ");
}
