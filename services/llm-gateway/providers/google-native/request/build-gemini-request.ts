import type { Content, GenerateContentParameters, ThinkingConfig, Tool } from "@google/genai";
import type { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import { terminal } from "../../../errors/llm-error.ts";
import type { ProviderConfig } from "../../provider-config.ts";
import { geminiMessages } from "./gemini-messages.ts";
import { geminiTools } from "./gemini-tools.ts";
import { thinkingConfig } from "./thinking-config.ts";

/** What one call sends, in the terms of Gemini's API. */
export interface GeminiRequest {
  readonly model: string;
  readonly systemInstruction: string | undefined;
  readonly contents: Content[];
  readonly tools: Tool[];
  readonly thinking: ThinkingConfig | undefined;
  readonly maxOutputTokens: number | undefined;
  /** Asks for the rest of an answer that Gemini has split. */
  readonly continuationToken?: string;
}

/** The parts of a call that make its request. */
interface GeminiCall {
  readonly request: Pick<GenerateRequest, "messages" | "tools">;
  readonly config: Pick<ProviderConfig, "model" | "nativeTools" | "maxOutputTokens">;
}

/** The request of one call. Throws TerminalError `invalid_request` for an unusable conversation or model. */
export function buildGeminiRequest({ request, config }: GeminiCall): GeminiRequest {
  if (config.model === "") throw terminal("invalid_request", "the call names no model");
  return {
    model: config.model,
    ...geminiMessages(request.messages, config.model),
    tools: geminiTools(request.tools, config.nativeTools),
    thinking: thinkingConfig(config.model, config.maxOutputTokens),
    maxOutputTokens: config.maxOutputTokens,
  };
}

/** A request as the SDK's parameters. */
export function sdkParameters(request: GeminiRequest): GenerateContentParameters {
  const { model, contents, systemInstruction, tools, thinking, maxOutputTokens, continuationToken } = request;
  return {
    model,
    contents,
    config: {
      ...(systemInstruction === undefined ? {} : { systemInstruction }),
      ...(tools.length === 0 ? {} : { tools }),
      ...(thinking === undefined ? {} : { thinkingConfig: thinking }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      ...(continuationToken === undefined ? {} : { continuationToken }),
      // The executor runs the tools.
      automaticFunctionCalling: { disable: true },
      automaticContinuation: false,
    },
  };
}

/**
 * The body that the SDK makes of `sdkParameters` for the Gemini API. The SDK copies a conversation field by field for this,
 * which costs more than sending it; the requests above have the API's form already.
 */
export function requestBody(request: GeminiRequest): string {
  const { contents, systemInstruction, tools, thinking, maxOutputTokens, continuationToken } = request;
  return JSON.stringify({
    contents,
    ...(systemInstruction === undefined
      ? {}
      : { systemInstruction: { role: "user", parts: [{ text: systemInstruction }] } }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(continuationToken === undefined ? {} : { continuationToken }),
    generationConfig: {
      ...(thinking === undefined ? {} : { thinkingConfig: thinking }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    },
  });
}
