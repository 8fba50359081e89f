import { Type, type Static } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const optionalString = Type.Optional(Type.String());
const optionalCount = Type.Optional(Type.Number());

const GeminiPart = Type.Object({
  text: optionalString,
  thought: Type.Optional(Type.Boolean()),
  thoughtSignature: optionalString,
  functionCall: Type.Optional(
    Type.Object({
      id: optionalString,
      name: Type.String(),
      args: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
  ),
  executableCode: Type.Optional(Type.Object({ code: optionalString })),
  codeExecutionResult: Type.Optional(Type.Object({ outcome: optionalString, output: optionalString })),
});
export type GeminiPart = Static<typeof GeminiPart>;

const GeminiGrounding = Type.Object({
  webSearchQueries: Type.Optional(Type.Array(Type.String())),
  groundingChunks: Type.Optional(
    Type.Array(
      Type.Object({ web: Type.Optional(Type.Object({ uri: optionalString, title: optionalString })) }),
    ),
  ),
  groundingSupports: Type.Optional(
    Type.Array(
      Type.Object({
        segment: Type.Optional(
          Type.Object({
            startIndex: Type.Optional(Type.Integer()),
            endIndex: Type.Optional(Type.Integer()),
            text: optionalString,
          }),
        ),
        groundingChunkIndices: Type.Optional(Type.Array(Type.Integer())),
      }),
    ),
  ),
  searchEntryPoint: Type.Optional(Type.Object({ renderedContent: optionalString })),
});
export type GeminiGrounding = Static<typeof GeminiGrounding>;

const GeminiUsage = Type.Object({
  promptTokenCount: optionalCount,
  toolUsePromptTokenCount: optionalCount,
  candidatesTokenCount: optionalCount,
  thoughtsTokenCount: optionalCount,
  totalTokenCount: optionalCount,
});
export type GeminiUsage = Static<typeof GeminiUsage>;

const GeminiChunk = Type.Object({
  candidates: Type.Optional(
    Type.Array(
      Type.Object({
        content: Type.Optional(Type.Object({ parts: Type.Optional(Type.Array(GeminiPart)) })),
        finishReason: optionalString,
        finishMessage: optionalString,
        groundingMetadata: Type.Optional(GeminiGrounding),
      }),
    ),
  ),
  promptFeedback: Type.Optional(
    Type.Object({ blockReason: optionalString, blockReasonMessage: optionalString }),
  ),
  usageMetadata: Type.Optional(GeminiUsage),
});
/** What the gateway reads of one streamed response; the SDK types it but does not check it. */
export type GeminiChunk = Static<typeof GeminiChunk>;

/** Checks one streamed response. Throws TerminalError `malformed`. */
export const parseGeminiChunk = compileParser("Gemini response", GeminiChunk);
