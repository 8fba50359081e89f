import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { openSseServer, type SseRequest, type SseServer } from "./sse-server.ts";

/** The vector of a text, of any length other than zero. */
type Embed = (text: string) => readonly number[];

const parseGoogle = compileParser(
  "batchEmbedContents",
  Type.Object({
    requests: Type.Array(
      Type.Object({
        model: Type.String(),
        content: Type.Object({ parts: Type.Array(Type.Object({ text: Type.String() }), { maxItems: 1 }) }),
        outputDimensionality: Type.Integer(),
        taskType: Type.Optional(
          Type.Union([Type.Literal("RETRIEVAL_QUERY"), Type.Literal("RETRIEVAL_DOCUMENT")]),
        ),
      }),
      { minItems: 1, maxItems: 100 },
    ),
  }),
);
const parseOpenai = compileParser(
  "embeddings",
  Type.Object({
    model: Type.String(),
    input: Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }),
    dimensions: Type.Integer(),
    encoding_format: Type.Literal("float"),
  }),
);

const GOOGLE_PATH = /^\/v1beta\/models\/(?<model>[^/:?]+):batchEmbedContents$/u;

/**
 * A fake of Gemini's `batchEmbedContents` and of OpenAI's `/v1/embeddings` on a free port of 127.0.0.1. Like these it refuses a body
 * with a property that it does not know, a model of the second generation with `taskType`, and a call without the key.
 * `fails`: what it answers instead, until it returns undefined.
 */
export function openEmbeddingServer(
  embed: Embed,
  {
    key,
    fails = () => undefined,
  }: {
    readonly key?: string;
    readonly fails?: () => { readonly status: number; readonly body: object | string } | undefined;
  } = {},
): Promise<SseServer> {
  return openSseServer((reply, request) => {
    const failure = fails();
    if (failure !== undefined) return reply.fail(failure.status, failure.body);
    try {
      return reply.fail(200, answer(request, embed, key));
    } catch (error) {
      const message = error instanceof Error ? error.message : "invalid";
      return reply.fail(400, { error: { code: 400, message, status: "INVALID_ARGUMENT" } });
    }
  });
}

function answer({ path, headers, body }: SseRequest, embed: Embed, key: string | undefined): object {
  const model = GOOGLE_PATH.exec(path)?.groups?.["model"];
  if (model !== undefined) {
    if (headers["x-goog-api-key"] !== key) throw new Error("API key not valid");
    const embeddings = parseGoogle(body).requests.map((request) => {
      if (request.model !== `models/${model}`) throw new Error("models differ");
      if (model.includes("embedding-2") === (request.taskType !== undefined)) {
        throw new Error("taskType is for models of the first generation");
      }
      return { values: embed(request.content.parts[0]?.text ?? "") };
    });
    return { embeddings };
  }
  if (path !== "/v1/embeddings") throw new Error(`no such path: ${path}`);
  if (headers.authorization !== (key === undefined ? undefined : `Bearer ${key}`)) {
    throw new Error("Incorrect API key provided");
  }
  const { input, model: named } = parseOpenai(body);
  // In any order: each says which text it is of.
  const data = input
    .map((text, index) => ({ object: "embedding", index, embedding: embed(text) }))
    .toReversed();
  const prompt_tokens = input.join(" ").split(" ").length;
  return { object: "list", data, model: named, usage: { prompt_tokens, total_tokens: prompt_tokens } };
}
