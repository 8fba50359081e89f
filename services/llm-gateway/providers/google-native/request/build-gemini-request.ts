import type { GenerateContentParameters } from "@google/genai";
import { terminal } from "../../../errors/llm-error.ts";
import type { ProviderCall } from "../../provider.ts";
import { geminiMessages } from "./gemini-messages.ts";
import { geminiTools } from "./gemini-tools.ts";
import { thinkingConfig } from "./thinking-config.ts";

/** The SDK's parameters for one call. Throws TerminalError `invalid_request` for an unusable conversation or model. */
export function buildGeminiRequest({ request, config }: ProviderCall): GenerateContentParameters {
  if (config.model === "") throw terminal("invalid_request", "llm_config.model is empty: name a model");
  const { systemInstruction, contents } = geminiMessages(request.messages, config.model);
  const tools = geminiTools(request.tools, config.nativeTools);
  const thinking = thinkingConfig(config.model);
  return {
    model: config.model,
    contents,
    config: {
      ...(systemInstruction === undefined ? {} : { systemInstruction }),
      ...(tools.length === 0 ? {} : { tools }),
      ...(thinking === undefined ? {} : { thinkingConfig: thinking }),
      // The executor runs the tools.
      automaticFunctionCalling: { disable: true },
      automaticContinuation: false,
    },
  };
}
