import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { isObject } from "#shared/exact-json.ts";
import { retryable } from "../../../errors/llm-error.ts";
import { parseJson } from "../../../parse-json.ts";
import { ResponseError } from "../../response-error.ts";

const optionalString = Type.Optional(Type.String());
const optionalCount = Type.Optional(Type.Number());

const GeminiPartialArg = Type.Object({
  /** e.g. $.items[0].name */
  jsonPath: Type.String(),
  stringValue: optionalString,
  numberValue: Type.Optional(Type.Number()),
  boolValue: Type.Optional(Type.Boolean()),
});
export type GeminiPartialArg = Static<typeof GeminiPartialArg>;

const GeminiFunctionCall = Type.Object({
  id: optionalString,
  /** If a call comes in pieces, only the first piece has a name. */
  name: optionalString,
  args: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  partialArgs: Type.Optional(Type.Array(GeminiPartialArg)),
  willContinue: Type.Optional(Type.Boolean()),
});
export type GeminiFunctionCall = Static<typeof GeminiFunctionCall>;

const GeminiPart = Type.Object({
  text: optionalString,
  thought: Type.Optional(Type.Boolean()),
  thoughtSignature: optionalString,
  functionCall: Type.Optional(GeminiFunctionCall),
  executableCode: Type.Optional(Type.Object({ code: optionalString })),
  codeExecutionResult: Type.Optional(Type.Object({ outcome: optionalString, output: optionalString })),
});
export type GeminiPart = Static<typeof GeminiPart>;

const optionalSource = Type.Optional(Type.Object({ uri: optionalString, title: optionalString }));

const GeminiGrounding = Type.Object({
  webSearchQueries: Type.Optional(Type.Array(Type.String())),
  groundingChunks: Type.Optional(
    Type.Array(Type.Object({ web: optionalSource, retrievedContext: optionalSource, maps: optionalSource })),
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

const GeminiUrlContext = Type.Object({
  urlMetadata: Type.Optional(
    Type.Array(Type.Object({ retrievedUrl: optionalString, urlRetrievalStatus: optionalString })),
  ),
});
export type GeminiUrlContext = Static<typeof GeminiUrlContext>;

const GeminiUsage = Type.Object({
  promptTokenCount: optionalCount,
  toolUsePromptTokenCount: optionalCount,
  cachedContentTokenCount: optionalCount,
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
        urlContextMetadata: Type.Optional(GeminiUrlContext),
        continuationToken: optionalString,
      }),
    ),
  ),
  promptFeedback: Type.Optional(
    Type.Object({ blockReason: optionalString, blockReasonMessage: optionalString }),
  ),
  usageMetadata: Type.Optional(GeminiUsage),
  modelVersion: Type.Optional(Type.Unknown()),
});
/** The fields that the gateway reads of one event; the SDK declares their types but does not check them. */
export type GeminiChunk = Static<typeof GeminiChunk>;

const parse = compileParser("Gemini response", GeminiChunk);

/**
 * Parses the JSON text of one event. Throws ResponseError if it is an error object, TerminalError `malformed` if
 * it does not match the schema, and RetryableError `provider_error` if it is not JSON.
 */
export function parseGeminiChunk(text: string): GeminiChunk {
  const value = parseJson(text);
  if (value === undefined) {
    throw retryable("provider_error", "the provider sent something that is no JSON, or nested too deeply");
  }
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (isObject(first) && isObject(first["error"])) {
    const { code } = first["error"];
    throw new ResponseError(typeof code === "number" ? code : 500, text);
  }
  return parse(value);
}
