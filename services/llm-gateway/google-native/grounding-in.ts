import type { GroundingDelta } from "#shared/generated/llm/v1/llm.ts";
import type { GeminiGrounding } from "./gemini-chunk.ts";

/** Gemini's grounding metadata as the contract has it; what is missing becomes empty or 0. */
export function groundingIn(metadata: GeminiGrounding): GroundingDelta {
  return {
    webSearchQueries: metadata.webSearchQueries ?? [],
    groundingChunks: (metadata.groundingChunks ?? []).map(({ web }) => ({
      uri: web?.uri ?? "",
      title: web?.title ?? "",
    })),
    groundingSupports: (metadata.groundingSupports ?? []).map(({ segment, groundingChunkIndices }) => ({
      startIndex: segment?.startIndex ?? 0,
      endIndex: segment?.endIndex ?? 0,
      text: segment?.text ?? "",
      groundingChunkIndices: groundingChunkIndices ?? [],
    })),
    searchEntryPointHtml: metadata.searchEntryPoint?.renderedContent ?? "",
  };
}
