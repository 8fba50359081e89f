import { formatConclusions, formatParallelResults, type ParallelResults } from "../format-context.ts";
import type { NewMessage } from "../steps/agent-step.ts";
import { alertBlock } from "./alert-block.ts";
import { instructionTiers } from "./instruction-tiers.ts";
import type { PromptInput } from "./prompt-input.ts";
import { runbookBlock } from "./runbook-block.ts";

/** What a synthesis is made of: the case as its stage's agents had it, and what they came to. */
export interface SynthesisInput extends Omit<PromptInput, "tools"> {
  /** Null where the agent does not follow parallel ones: it then has only the earlier stages' answers. */
  readonly parallel: ParallelResults | null;
}

/** The messages (system, user) that ask for one analysis out of the results of a stage's parallel agents. */
export function buildSynthesisMessages(input: SynthesisInput): NewMessage[] {
  const { alert, chain, previous, parallel } = input;
  const earlier = previous.length === 0 ? [] : [formatConclusions(previous)];
  const results = parallel === null ? [] : [formatParallelResults(parallel)];
  const previousData = ["## Previous Stage Data", ...earlier, ...results];
  if (previousData.length === 1) previousData.push("No earlier results: only the alert is known.");
  const user = [
    OPENING,
    alertBlock({ data: alert.data, alertType: null }),
    runbookBlock(alert, chain),
    previousData.join("\n\n"),
    CLOSING,
  ];
  return [
    { role: "system", content: instructionTiers("synthesis", input).join("\n\n") },
    { role: "user", content: user.join("\n\n") },
  ];
}

const OPENING =
  "Bring the results of these parallel investigations together into one analysis of the incident.";

const CLOSING = `Give one analysis in Markdown: the root cause and the evidence for it, the current state, the steps a human operator should take, and what would prevent a recurrence. Where the investigations contradict each other, decide on the evidence or say what is open.`;
