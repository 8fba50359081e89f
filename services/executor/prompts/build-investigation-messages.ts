import { isActionAgent } from "#shared/contracts/resolved-chain.ts";
import type { NewMessage, PromptInput } from "./prompt-input.ts";
import { FOCUS_LINE } from "./general-instructions.ts";
import { instructionTiers } from "./instruction-tiers.ts";
import { investigationBlocks } from "./investigation-blocks.ts";
import { reactFormatGuide } from "./react-format-guide.ts";
import { toolsBlock } from "./tools-block.ts";

/** The first messages (system, user) of a ReAct agent, which calls its tools as text. */
export function buildReactMessages(input: PromptInput): NewMessage[] {
  const { nonce } = input.alert;
  const system = [
    ...instructionTiers("investigation", { ...input, nonce }),
    reactFormatGuide("investigation"),
    FOCUS_LINE[isActionAgent(input.agent) ? "action" : "investigation"],
  ];
  const investigation = investigationBlocks(input);
  // Two empty lines separate the tools from the investigation.
  const user =
    input.tools.length === 0 ? investigation : `${toolsBlock(input.tools, nonce)}\n\n\n${investigation}`;
  return [
    { role: "system", content: system.join("\n\n") },
    { role: "user", content: user },
  ];
}

/** The first messages (system, user) of an agent with native tool calls. They list no tools: the LLM call carries them. */
export function buildNativeMessages(input: PromptInput): NewMessage[] {
  const system = [
    ...instructionTiers("investigation", { ...input, nonce: input.alert.nonce }),
    FOCUS_LINE[isActionAgent(input.agent) ? "action" : "investigation"],
  ];
  return [
    { role: "system", content: system.join("\n\n") },
    { role: "user", content: investigationBlocks(input) },
  ];
}
