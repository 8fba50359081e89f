import {
  type Content,
  type GenerateContentParameters,
  type ThinkingConfig,
  type Tool,
  ThinkingLevel,
} from "@google/genai";
import type { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import { terminal } from "../../../errors/llm-error.ts";
import type { ProviderConfig } from "../../provider-config.ts";
import { geminiMessages } from "./gemini-messages.ts";
import { geminiTools } from "./gemini-tools.ts";
import { geminiVersion } from "../gemini-version.ts";

const FLASH_BUDGET = 24_576;
const PRO_BUDGET = 32_768;

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

/**
 * The thinking settings for a model name, thoughts included in the answer: the largest token budget for the 2.5 family
 * and unknown names, level HIGH from Gemini 3 on, and undefined for older models, which refuse the setting. A limit for the
 * answer includes thoughts, so a budget takes at most half of it.
 */
export function thinkingConfig(model: string, maxOutputTokens = Infinity): ThinkingConfig | undefined {
  const version = geminiVersion(model);
  if (version !== undefined && version < 2.5) return undefined;
  if (version !== undefined && version >= 3) {
    return { includeThoughts: true, thinkingLevel: ThinkingLevel.HIGH };
  }
  const budget = model.toLowerCase().includes("gemini-2.5-pro") ? PRO_BUDGET : FLASH_BUDGET;
  return { includeThoughts: true, thinkingBudget: Math.min(budget, Math.floor(maxOutputTokens / 2)) };
}
