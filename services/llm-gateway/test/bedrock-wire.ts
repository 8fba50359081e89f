import { expect } from "chai";
import { EVENT_STREAM, encodeEvent } from "../../../test/support/event-stream.ts";
import { openSseServer, type SseHandler } from "../../../test/support/sse-server.ts";
import type { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import { openGateway, type TestConfig } from "./open-gateway.ts";
import { chatRequest } from "./wire.ts";

export const BEDROCK_MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
export const BEDROCK_ENV = {
  AWS_ID: "AKIDEXAMPLE",
  AWS_SECRET: "secret-that-must-not-leak",
  AWS_SESSION: "session-1",
  KEY: "bedrock-key-1",
};
export const AWS_KEYS = {
  region: "us-east-1",
  access_key_id_env: "AWS_ID",
  secret_access_key_env: "AWS_SECRET",
};

export const delta = (contentBlockIndex: number, piece: object) =>
  encodeEvent("contentBlockDelta", { contentBlockIndex, delta: piece, p: "abc" });
export const start = encodeEvent("messageStart", { role: "assistant", p: "abcd" });
export const stop = (stopReason: string) => encodeEvent("messageStop", { stopReason });
export const usage = encodeEvent("metadata", {
  usage: {
    inputTokens: 10,
    outputTokens: 5,
    totalTokens: 45,
    cacheReadInputTokens: 20,
    cacheWriteInputTokens: 10,
  },
  metrics: { latencyMs: 12 },
});
export const says = (text: string): Buffer[] => [
  delta(0, { text }),
  encodeEvent("contentBlockStop", { contentBlockIndex: 0 }),
];
export const toolStart = (index: number, toolUseId: string) =>
  encodeEvent("contentBlockStart", {
    contentBlockIndex: index,
    start: { toolUse: { toolUseId, name: "kubernetes__pods_list" } },
  });

/** Answers with these messages and ends the response in order. */
export const sends =
  (...messages: readonly Buffer[]): SseHandler =>
  (reply) => {
    for (const bytes of messages) reply.raw(bytes);
    reply.end();
  };
export const done = sends(start, ...says("done"), stop("end_turn"), usage);

/** Plays an answer to one call; the errors of all of them must not contain the secret. */
export async function playBedrock(
  handlers: SseHandler | readonly SseHandler[],
  { request = {}, config = {} }: { request?: Partial<GenerateRequest>; config?: TestConfig } = {},
) {
  await using server = await openSseServer(handlers, EVENT_STREAM);
  await using gateway = await openGateway({ env: BEDROCK_ENV });
  const settings = { model: BEDROCK_MODEL, apiKeyEnv: "", settings: AWS_KEYS, ...config };
  const answer = await gateway.ask(chatRequest("bedrock", server.url, request, settings));
  expect(JSON.stringify(answer.error ?? "")).not.to.contain(BEDROCK_ENV.AWS_SECRET);
  return { ...answer, requests: server.requests };
}
