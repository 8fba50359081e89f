import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { EmbedText } from "#shared/generated/llm/v1/llm.ts";
import { PROVIDER_URLS } from "../providers/provider-urls.ts";
import type { EmbeddingApi } from "./embedding-api.ts";

const parseAnswer = compileParser(
  "Gemini's vectors",
  Type.Object(
    {
      embeddings: Type.Array(
        Type.Object({ values: Type.Array(Type.Number()) }, { additionalProperties: true }),
      ),
    },
    { additionalProperties: true },
  ),
);

/** Gemini's `batchEmbedContents`. The key is a header: an address may be logged on its way. */
export const GOOGLE_EMBEDDINGS: EmbeddingApi = {
  url: PROVIDER_URLS.google,
  request: ({ model, dimensions, texts }, key) => ({
    path: `/v1beta/models/${encodeURIComponent(model)}:batchEmbedContents`,
    headers: key === undefined ? {} : { "x-goog-api-key": key },
    body: {
      requests: texts.map((text) => ({
        model: `models/${model}`,
        outputDimensionality: dimensions,
        ...toldTask(model, text),
      })),
    },
  }),
  read: (body) => ({
    vectors: parseAnswer(body).embeddings.map(({ values }) => values),
    inputTokens: 0,
  }),
};

/** The model reads the purpose of a text in the text itself since its second generation; before, in a field. */
function toldTask(model: string, { text, isQuery }: EmbedText): object {
  if (model.includes("gemini-embedding-2")) {
    return content(isQuery ? `task: search result | query: ${text}` : `title: none | text: ${text}`);
  }
  return { ...content(text), taskType: isQuery ? "RETRIEVAL_QUERY" : "RETRIEVAL_DOCUMENT" };
}

function content(text: string): object {
  return { content: { parts: [{ text }] } };
}
