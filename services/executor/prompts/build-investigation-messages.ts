import { isActionAgent } from "#shared/contracts/resolved-chain.ts";
import type { PromptMessage, PromptInput } from "./prompt-input.ts";
import { FOCUS_LINE } from "./general-instructions.ts";
import { instructionTiers } from "./instruction-tiers.ts";
import { reactFormatGuide } from "./react-format-guide.ts";
import { searchableBlock, toolsBlock } from "./tools-block.ts";
import {
  alertBlock,
  memoryBlock,
  previousStageBlock,
  runbookBlock,
  taskBlock,
} from "./investigation-blocks.ts";
import { conclusionSections } from "./conclusion-prompts.ts";
import { contextSection } from "./context-block.ts";
import { assignedTask } from "./sub-agent-sections.ts";

/** The first messages (system, user) of a ReAct agent, which calls its tools as text. */
export function buildReactMessages(input: PromptInput): PromptMessage[] {
  const { nonce } = input.alert;
  const system = [
    ...instructionTiers("investigation", { ...input, nonce }),
    reactFormatGuide("investigation"),
    ...conclusionSections(input.agent),
    FOCUS_LINE[isActionAgent(input.agent) ? "action" : "investigation"],
  ];
  // Two empty lines separate the tools from the investigation.
  const tools = input.tools.length === 0 ? "" : `${toolsBlock(input.tools, nonce)}\n\n\n`;
  return [
    { role: "system", content: system.join("\n\n") },
    { role: "user", content: `${tools}${investigationBlocks(input)}` },
  ];
}

/** The first messages (system, user) of an agent with native tool calls. They list no tools: the LLM call carries them. */
export function buildNativeMessages(input: PromptInput): PromptMessage[] {
  const system = [
    ...instructionTiers("investigation", { ...input, nonce: input.alert.nonce }),
    ...conclusionSections(input.agent),
    FOCUS_LINE[isActionAgent(input.agent) ? "action" : "investigation"],
  ];
  return [
    { role: "system", content: system.join("\n\n") },
    { role: "user", content: investigationBlocks(input) },
  ];
}

/** The user message of an investigating agent: the tools that it has to search for, alert, runbook, earlier stages, present time, task; that of a sub-agent is its task and the time. Ends without a newline. */
function investigationBlocks(input: PromptInput): string {
  const { agent, alert, chain, task, memories = [], offer } = input;
  const searchable = searchableBlock(offer, alert.nonce);
  if (task !== undefined && task !== null) {
    return `${searchable}${[assignedTask(task, alert.nonce), ...contextSection(input)].join("\n\n")}`;
  }
  const blocks = [
    alertBlock(alert),
    runbookBlock(alert, chain),
    ...(memories.length === 0 ? [] : [memoryBlock(memories, alert.nonce)]),
    previousStageBlock(input),
    ...contextSection(input),
    taskBlock(agent),
  ];
  return `${searchable}${blocks.join("\n\n")}`;
}
