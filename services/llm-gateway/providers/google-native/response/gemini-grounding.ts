import type { GroundingDelta } from "#shared/generated/llm/v1/llm.ts";
import type { GeminiGrounding, GeminiUrlContext } from "./gemini-chunk.ts";

/**
 * Converts Gemini's grounding metadata; missing fields become empty or 0. Pages from the URL context tool are appended
 * to the sources, so that the indices in the supports stay valid.
 */
export function geminiGrounding(metadata: GeminiGrounding, urlContext: GeminiUrlContext): GroundingDelta {
  const groundingChunks = (metadata.groundingChunks ?? []).map(({ web, retrievedContext, maps }) => {
    const source = web ?? retrievedContext ?? maps;
    return { uri: source?.uri ?? "", title: source?.title ?? "" };
  });
  const known = new Set(groundingChunks.map(({ uri }) => uri));
  const pages = (urlContext.urlMetadata ?? []).flatMap(({ retrievedUrl: uri, urlRetrievalStatus: status }) =>
    uri === undefined || known.has(uri) || status !== "URL_RETRIEVAL_STATUS_SUCCESS"
      ? []
      : [{ uri, title: "" }],
  );
  return {
    webSearchQueries: metadata.webSearchQueries ?? [],
    groundingChunks: [...groundingChunks, ...pages],
    groundingSupports: (metadata.groundingSupports ?? []).map(({ segment, groundingChunkIndices }) => ({
      startIndex: segment?.startIndex ?? 0,
      endIndex: segment?.endIndex ?? 0,
      text: segment?.text ?? "",
      groundingChunkIndices: groundingChunkIndices ?? [],
    })),
    searchEntryPointHtml: metadata.searchEntryPoint?.renderedContent ?? "",
  };
}
