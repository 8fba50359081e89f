import { expect } from "chai";
import type { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import { openSseServer, type SseHandler } from "../../../test/support/sse-server.ts";
import { geminiRequest, openGateway, type Answer } from "./open-gateway.ts";
import { RECORDINGS } from "./recordings.ts";
import type { Recording } from "./wire-answers.ts";
import { chatRequest } from "./wire.ts";

const TOOLS = ["k8s.pods", "k8s.logs", "clock.now"].map((name) => ({
  name,
  description: "",
  parametersSchema: '{"type":"object","properties":{}}',
}));

/** How a cut answer is sent: its end, and the size of its pieces. */
interface Sending {
  readonly end: "orderly" | "by a broken connection";
  readonly inBytes: boolean;
}

function send(recording: Recording, count: number, { end, inBytes }: Sending): SseHandler {
  const bytes = Buffer.from(
    recording.events
      .slice(0, count)
      .map(({ raw }) => raw)
      .join(""),
  );
  return async (reply) => {
    reply.raw(""); // the head of the response
    if (inBytes) for (let at = 0; at < bytes.length; at += 1) reply.raw(bytes.subarray(at, at + 1));
    else reply.raw(bytes);
    await reply.drained();
    if (end === "orderly") reply.end();
    else reply.cut();
  };
}

function request({ api }: Recording, url: string): GenerateRequest {
  const fields = { tools: TOOLS };
  if (api === "Gemini") return geminiRequest(url, fields);
  if (api === "Anthropic") return chatRequest("anthropic", url, fields);
  return chatRequest("openai", api === "Responses" ? `${url}/v1/responses` : `${url}/v1`, fields);
}

function callsOf({ chunks }: Answer) {
  return chunks.flatMap(({ content }) =>
    content?.$case === "toolCall" ? [{ name: content.value.name, arguments: content.value.arguments }] : [],
  );
}

/** What an answer may be after its first `count` events; throws what the answer has otherwise. */
function judge({ events, calls }: Recording, count: number, end: Sending["end"], answer: Answer): void {
  const received = events.slice(0, count);
  const text = received.map((event) => event.text ?? "").join("");
  const thinking = received.map((event) => event.thinking ?? "").join("");
  const isComplete = received.some(({ completes }) => completes === true);
  if (end === "orderly") expect(answer).to.deep.include({ text, thinking });
  expect(text.startsWith(answer.text), answer.text).to.equal(true);
  expect(thinking.startsWith(answer.thinking), answer.thinking).to.equal(true);
  if (isComplete && (end === "orderly" || answer.error === undefined)) {
    expect(answer.error).to.equal(undefined);
    expect(callsOf(answer)).to.deep.equal(calls);
    return;
  }
  expect(callsOf(answer)).to.deep.equal([]);
  const isShown = answer.text + answer.thinking !== "";
  expect(answer.error?.retryable).to.equal(true);
  expect(answer.error?.code).to.equal(isShown ? "partial_stream_error" : "max_retries");
  if (count > 1 && !isShown && end === "orderly") expect(answer.error?.message).to.match(/partial|empty/u);
}

describe("llm-gateway with answers that end too early", () => {
  for (const recording of RECORDINGS) {
    for (const sending of [
      { end: "orderly", inBytes: false },
      { end: "by a broken connection", inBytes: false },
      { end: "orderly", inBytes: true },
    ] as const) {
      const how = `${sending.end}${sending.inBytes ? ", in pieces of one byte" : ""}`;
      it(`calls only complete tools: ${recording.api}, ${recording.name}, ended ${how}`, async () => {
        let answerNext: SseHandler = () => undefined;
        await using server = await openSseServer((reply, received) => answerNext(reply, received));
        await using gateway = await openGateway();
        for (let count = 0; count <= recording.events.length; count += 1) {
          answerNext = send(recording, count, sending);
          const answer = await gateway.ask(request(recording, server.url));
          try {
            judge(recording, count, sending.end, answer);
          } catch (error) {
            throw new Error(`after ${count} of ${recording.events.length} events`, { cause: error });
          }
        }
      }).timeout(120_000);
    }
  }
});
