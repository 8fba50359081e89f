import { setInterval } from "node:timers/promises";
import { expect } from "chai";
import type { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import { EVENT_STREAM } from "../../../test/support/event-stream.ts";
import { openSseServer, type SseHandler, type SseReply } from "../../../test/support/sse-server.ts";
import { AWS_KEYS, BEDROCK_ENV, BEDROCK_MODEL, done, start } from "./bedrock-wire.ts";
import { TEST_KEY, TEST_KEY_ENV, geminiRequest, openGateway } from "./open-gateway.ts";
import { chatRequest, completes, completion, messageStart, messageStop, named, says } from "./wire.ts";

const STALL_MS = 600;
const SIGN_EVERY_MS = 100;
/** Three times as long as a provider may be silent. */
const SIGNS = 18;

interface Sender {
  readonly request: (url: string) => GenerateRequest;
  readonly begin?: (reply: SseReply) => void;
  readonly sign: (reply: SseReply, number: number) => void;
  readonly answer: SseHandler;
  readonly contentType?: string;
}

const claude = (reply: SseReply) => {
  says(reply, 0, "done");
  messageStop(reply, "end_turn");
};
const chat = completes([{ content: "done" }]);
const asChat = (url: string) => chatRequest("openai", `${url}/v1`);
const responses: SseHandler = (reply) => {
  reply.event(named("response.output_text.delta", { output_index: 0, content_index: 0, delta: "done" }));
  reply.event(named("response.completed", { response: { id: "resp_1", status: "completed", output: [] } }));
  reply.end();
};

const SENDERS: Readonly<Record<string, Sender>> = {
  "comments before a chat completion": {
    request: (url) => chatRequest("openrouter", `${url}/v1`),
    sign: (reply) => reply.raw(": OPENROUTER PROCESSING\n\n"),
    answer: chat,
  },
  "empty deltas": {
    request: asChat,
    sign: (reply) => reply.data(completion({ content: "" })),
    answer: chat,
  },
  "comments within a chat completion": {
    request: asChat,
    begin: (reply) => reply.data(completion({ role: "assistant", content: "well " })),
    sign: (reply) => reply.raw(": wait\n\n"),
    answer: chat,
  },
  "Anthropic's pings": {
    request: (url) => chatRequest("anthropic", url),
    begin: messageStart,
    sign: (reply) => reply.event({ type: "ping" }),
    answer: claude,
  },
  "events of progress of the Responses API": {
    request: (url) => chatRequest("openai", `${url}/v1/responses`),
    sign: (reply) => reply.event(named("response.in_progress", { response: { id: "resp_1" } })),
    answer: responses,
  },
  "comments of Gemini's": {
    request: (url) => geminiRequest(url),
    sign: (reply) => reply.raw(":\n\n"),
    answer: (reply) => {
      reply.data({ candidates: [{ content: { parts: [{ text: "done" }] }, finishReason: "STOP" }] });
      reply.end();
    },
  },
  "single bytes of Bedrock's": {
    request: (url) =>
      chatRequest("bedrock", url, {}, { model: BEDROCK_MODEL, apiKeyEnv: "", settings: AWS_KEYS }),
    sign: (reply, number) => reply.raw(start.subarray(number, number === SIGNS ? undefined : number + 1)),
    answer: (reply, request) =>
      done({ ...reply, raw: (bytes) => bytes !== start && reply.raw(bytes) }, request),
    contentType: EVENT_STREAM,
  },
};

for (const [what, sender] of Object.entries(SENDERS)) {
  describe(`llm-gateway that hears ${what}`, () => {
    const play = async (afterSigns: SseHandler, options: { readonly deadline?: number } = {}) => {
      const handler: SseHandler = async (reply, request) => {
        reply.raw(""); // the head of the response
        sender.begin?.(reply);
        let number = 0;
        for await (const _ of setInterval(SIGN_EVERY_MS)) {
          sender.sign(reply, number);
          if (number === SIGNS) break;
          number += 1;
        }
        await afterSigns(reply, request);
      };
      await using server = await openSseServer(handler, sender.contentType);
      await using gateway = await openGateway({
        stallMs: STALL_MS,
        env: { ...BEDROCK_ENV, [TEST_KEY_ENV]: TEST_KEY },
      });
      const answer = await gateway.ask(sender.request(server.url), options);
      return { ...answer, requests: server.requests.length };
    };

    it("waits for the answer", async () => {
      const { text, error, requests } = await play(sender.answer);
      expect({ text: text.replace("well ", ""), error, requests }).to.deep.equal({
        text: "done",
        error: undefined,
        requests: 1,
      });
    });

    it("ends the call at its own deadline", async () => {
      const endless = async (reply: SseReply) => {
        for (let number = 0; number < 1_000; number += 1) await reply.drained();
      };
      const failed = await play(endless, { deadline: Date.now() + 1_000 }).catch((error: unknown) => error);
      expect(failed).to.be.instanceOf(Error).and.to.have.property("code", 4);
    });
  });
}
