import { expect } from "chai";
import { openSseServer } from "../../../test/support/sse-server.ts";
import { openGateway } from "./open-gateway.ts";
import { chatRequest, completion, prose } from "./wire.ts";

describe("llm-gateway with a model that repeats itself", () => {
  for (const [kind, field] of [
    ["text", "content"],
    ["thinking", "reasoning_content"],
  ] as const) {
    it(`ends the call and closes the provider's socket when its ${kind} is a loop`, async () => {
      await using server = await openSseServer(async (reply, { closed }) => {
        const gone = new AbortController();
        void closed.then(() => gone.abort());
        reply.data(completion({ role: "assistant", [field]: prose(100) }));
        while (!gone.signal.aborted) {
          reply.data(completion({ [field]: "Let me check the pods. " }));
          await reply.drained();
          await new Promise(setImmediate);
        }
      });
      await using gateway = await openGateway();
      const answer = await gateway.ask(chatRequest("openai", `${server.url}/v1`));
      await server.requests[0]?.closed;
      expect(server.requests).to.have.length(1);
      const { error } = answer;
      expect(error).to.deep.include({ code: "output_loop", retryable: true });
      expect(error?.message).to.match(/Let me check the pods.*times in a row/u);
      expect(answer[kind].length).to.be.below(4_100);
      const [keep, other] = [error?.keepText, error?.keepThinking];
      expect(kind === "text" ? keep : other).to.be.within(100, 123);
      expect(kind === "text" ? other : keep).to.equal(undefined);
    });
  }
});
