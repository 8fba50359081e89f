import type { NewMessage, PromptInput } from "./prompt-input.ts";
import { alertBlock } from "./alert-block.ts";
import { contextSection } from "./context-block.ts";
import { instructionTiers } from "./instruction-tiers.ts";
import { previousStageBlock } from "./previous-stage-block.ts";
import { runbookBlock } from "./runbook-block.ts";

/** The messages (system, user) that request one analysis from the results of a stage's parallel agents. */
export function buildSynthesisMessages(input: Omit<PromptInput, "tools">): NewMessage[] {
  const { alert, chain } = input;
  const user = [
    OPENING,
    alertBlock({ ...alert, alertType: null }),
    runbookBlock(alert, chain),
    previousStageBlock(input, "No earlier results: only the alert is known."),
    ...contextSection(input),
    CLOSING,
  ];
  return [
    { role: "system", content: instructionTiers("synthesis", { ...input, nonce: alert.nonce }).join("\n\n") },
    { role: "user", content: user.join("\n\n") },
  ];
}

const OPENING =
  "Bring the results of these parallel investigations together into one analysis of the incident.";

const CLOSING = `Give one analysis in Markdown: the root cause and the evidence for it, the current state, the steps a human operator should take, and what would prevent a recurrence. Where the investigations contradict each other, decide on the evidence or say what is open.`;
