import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { PROVIDER_URLS } from "../providers/provider-urls.ts";
import type { EmbeddingApi } from "./embedding-api.ts";

const parseAnswer = compileParser(
  "OpenAI's vectors",
  Type.Object(
    {
      data: Type.Array(
        Type.Object(
          { index: Type.Integer(), embedding: Type.Array(Type.Number()) },
          { additionalProperties: true },
        ),
      ),
      usage: Type.Optional(
        Type.Object({ prompt_tokens: Type.Optional(Type.Integer()) }, { additionalProperties: true }),
      ),
    },
    { additionalProperties: true },
  ),
);

/** OpenAI's `embeddings`, and that of the servers with the same API. */
export const OPENAI_EMBEDDINGS: EmbeddingApi = {
  url: PROVIDER_URLS.openai,
  request: ({ model, dimensions, texts }, key) => ({
    path: "/embeddings",
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    body: { model, input: texts.map(({ text }) => text), dimensions, encoding_format: "float" },
  }),
  read: (body) => {
    const { data, usage } = parseAnswer(body);
    return {
      vectors: data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding),
      inputTokens: usage?.prompt_tokens ?? 0,
    };
  },
};
