import type { PromptMessage, PromptInput } from "./prompt-input.ts";
import {
  alertBlock,
  memoryBlock,
  previousStageBlock,
  runbookBlock,
  taskBlock,
} from "./investigation-blocks.ts";
import { conclusionSections } from "./conclusion-prompts.ts";
import { contextSection } from "./context-block.ts";
import { dataRule } from "./general-instructions.ts";
import { actionRules, agentInstructions, instructionTiers } from "./instruction-tiers.ts";
import { skillSections } from "./skill-sections.ts";
import { assignedTask } from "./sub-agent-sections.ts";

/**
 * The messages (system, user) of a single call: the agent's role and instructions, then the results of earlier stages,
 * if any, the alert, its runbook and the task.
 */
export function buildSingleCallMessages(input: Omit<PromptInput, "tools">): PromptMessage[] {
  const { agent, chain, alert, previous, parallel, memories = [] } = input;
  const system = [
    `You are ${agent.name}, a site reliability engineer who investigates alerts. You have no tools: work from what you are given.`,
    dataRule(alert.nonce),
    ...actionRules(agent),
    ...skillSections(input.skills ?? [], []),
    ...agentInstructions(agent),
  ];
  const { task } = input;
  const isSubAgent = task !== undefined && task !== null;
  const user = isSubAgent
    ? [assignedTask(task, alert.nonce), ...contextSection(input)]
    : [
        ...(previous.length === 0 && parallel === null ? [] : [previousStageBlock(input)]),
        alertBlock(alert),
        runbookBlock(alert, chain),
        ...(memories.length === 0 ? [] : [memoryBlock(memories, alert.nonce)]),
        ...contextSection(input),
        taskBlock(agent),
      ];
  return [
    { role: "system", content: system.join("\n\n") },
    { role: "user", content: user.join("\n\n") },
  ];
}

/** The messages (system, user) that request one analysis from the results of a stage's parallel agents. */
export function buildSynthesisMessages(input: Omit<PromptInput, "tools">): PromptMessage[] {
  const { alert, chain } = input;
  const user = [
    OPENING,
    alertBlock({ ...alert, alertType: null }),
    runbookBlock(alert, chain),
    previousStageBlock(input, "No earlier results: only the alert is known."),
    ...contextSection(input),
    CLOSING,
  ];
  const system = [
    ...instructionTiers("synthesis", { ...input, nonce: alert.nonce }),
    ...(input.agent.quoted === true ? conclusionSections(input.agent) : []),
  ];
  return [
    { role: "system", content: system.join("\n\n") },
    { role: "user", content: user.join("\n\n") },
  ];
}

const OPENING =
  "Bring the results of these parallel investigations together into one analysis of the incident.";

const CLOSING = `Give one analysis in Markdown: the root cause and the evidence for it, the current state, the steps a human operator should take, and what would prevent a recurrence. Where the investigations contradict each other, decide on the evidence or say what is open.`;
