import { isActionAgent } from "#shared/contracts/resolved-chain.ts";
import type { NewMessage, PromptInput } from "./prompt-input.ts";
import { FOCUS_LINE } from "./general-instructions.ts";
import { instructionTiers } from "./instruction-tiers.ts";
import { investigationBlocks } from "./investigation-blocks.ts";

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
