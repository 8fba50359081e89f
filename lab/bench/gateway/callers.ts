import { GoogleGenAI } from "@google/genai";
import type { LLMServiceClient } from "#shared/generated/llm/v1/llm.ts";
import { BENCH_KEY, waitForReady, type BenchGateways } from "./start-gateways.ts";

/** Makes one call and reads it to its end; resolves with the milliseconds to its first chunk. */
export type GatewayCaller = (model: string) => Promise<number>;

/** The compared ways to call the same provider. */
export interface Callers {
  /** Node's fetch, which only reads the bytes: the lower bound. */
  readonly fetch: GatewayCaller;
  /** Google's SDK, which a caller without a gateway would use. */
  readonly sdk: GatewayCaller;
  /** One gateway over gRPC. */
  readonly gateway: GatewayCaller;
}

export function openCallers({ providerUrl, one, request }: BenchGateways): Callers {
  const sdk = new GoogleGenAI({
    apiKey: BENCH_KEY,
    vertexai: false,
    httpOptions: { baseUrl: providerUrl, apiVersion: "v1beta" },
  });
  return {
    fetch: (model) =>
      timed(async (first) => {
        const url = `${providerUrl}/v1beta/models/${model}:streamGenerateContent?alt=sse`;
        const { body } = await fetch(url, { method: "POST", body: "{}" });
        for await (const _ of body ?? []) first();
      }),
    sdk: (model) =>
      timed(async (first) => {
        const stream = await sdk.models.generateContentStream({
          model,
          contents: "What is wrong with pod web-1?",
          config: { automaticFunctionCalling: { disable: true } },
        });
        for await (const _ of stream) first();
      }),
    gateway: (model) =>
      timed(async (first) => {
        await readCall(one, request(model), first);
      }),
  };
}

/** Makes one call through a gateway and reads it to its end; rejects if it ends with an error. */
export async function readCall(
  client: LLMServiceClient,
  request: ReturnType<BenchGateways["request"]>,
  onChunk: () => void,
): Promise<void> {
  const chunks: AsyncIterable<{ content?: { $case: string; value: unknown } }> = client.generate(
    request,
    waitForReady(),
  );
  for await (const { content } of chunks) {
    if (content?.$case === "error") throw new Error(`a call failed: ${JSON.stringify(content.value)}`);
    if (content !== undefined) onChunk();
  }
}

async function timed(call: (first: () => void) => Promise<void>): Promise<number> {
  const start = performance.now();
  let firstMs = Number.NaN;
  await call(() => {
    if (Number.isNaN(firstMs)) firstMs = performance.now() - start;
  });
  return firstMs;
}
