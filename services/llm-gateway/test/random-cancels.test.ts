import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { geminiChunk, openGeminiServer } from "../../../test/support/gemini-server.ts";
import { openSseServer } from "../../../test/support/sse-server.ts";
import { repetitions } from "../../../test/support/nightly.ts";
import { until } from "../../../test/support/until.ts";
import { geminiRequest, openGateway } from "./open-gateway.ts";
import { chatRequest, completion } from "./wire.ts";

const CALLS = repetitions({ daily: 40, nightly: 100 });

describe("llm-gateway with many calls that are cancelled at random times", () => {
  it("leaves no rejection, no socket and no open stream behind", async () => {
    const rejections: unknown[] = [];
    const note = (reason: unknown) => rejections.push(reason);
    process.on("unhandledRejection", note);
    const gone: Promise<void>[] = [];
    await using gemini = await openGeminiServer((reply, { closed }) => {
      gone.push(closed);
      reply.chunk(geminiChunk([{ text: "well" }]));
    });
    await using chat = await openSseServer((reply, { closed }) => {
      gone.push(closed);
      reply.data(completion({ role: "assistant", content: "well" }));
    });
    await using gateway = await openGateway();
    const ends = Array.from({ length: CALLS }, async (_, index) => {
      const request = index % 2 === 0 ? geminiRequest(gemini.url) : chatRequest("openai", `${chat.url}/v1`);
      const call = gateway.client.generate(request);
      const ended = new Promise<void>((resolve) => {
        call.on("data", () => {
          if (index % 3 === 0) call.cancel();
        });
        call.on("error", () => resolve());
        call.on("end", () => resolve());
      });
      for (let turns = (index * 37) % 200; turns > 0; turns -= 1) await setImmediate();
      if (index % 3 !== 0) call.cancel();
      await ended;
    });
    await Promise.all(ends);
    await until("no call is running", async () =>
      (await gateway.metrics.metrics()).includes("tarsy_llm_calls_running 0"),
    );
    await Promise.all(gone);
    expect(gone.length).to.be.greaterThan(CALLS / 3);
    process.off("unhandledRejection", note);
    expect(rejections).to.deep.equal([]);
  });
});
