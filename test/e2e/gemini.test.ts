import { expect } from "chai";
import { geminiChunk, openGeminiServer, type GeminiServer } from "../support/gemini-server.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import type { TarsyClient } from "../support/tarsy-client.ts";
import type { TarsySystem } from "../support/tarsy-system.ts";

const KEY = "secret-key-that-must-not-leak";
const usageMetadata = {
  promptTokenCount: 120,
  candidatesTokenCount: 30,
  thoughtsTokenCount: 50,
  totalTokenCount: 200,
};

describe("an investigation by Gemini", () => {
  const resources = new AsyncDisposableStack();
  let gemini: GeminiServer;
  let pipeline: PipelineFixture;
  let system: TarsySystem;
  let client: TarsyClient;

  before(async () => {
    gemini = resources.use(
      await openGeminiServer([
        (reply) => {
          reply.chunk(geminiChunk([{ text: "The node is ", thought: true }]));
          reply.chunk(geminiChunk([{ text: "out of disk.", thought: true }]));
          reply.chunk(geminiChunk([{ text: "## Root cause\n\nDisk " }]));
          reply.chunk(geminiChunk([{ text: "💾 full." }]));
          reply.chunk({
            candidates: [{ content: { role: "model", parts: [] }, finishReason: "STOP" }],
            usageMetadata,
          });
          reply.end();
        },
        (reply) => {
          reply.chunk(geminiChunk([{ text: "The disk is full." }], { finishReason: "STOP", usageMetadata }));
          reply.end();
        },
        (reply) => reply.chunk(geminiChunk([{ text: "this answer never ends" }])),
      ]),
    );
    const started = await PipelineFixture.start({
      config: {
        tarsy: { defaults: { llm_provider: "gemini", alert_type: "test" } },
        providers: {
          llm_providers: {
            gemini: {
              type: "google",
              model: "gemini-2.5-pro",
              api_key_env: "TEST_GEMINI_KEY",
              base_url: gemini.url,
              max_tool_result_tokens: 100_000,
            },
          },
        },
      },
      env: { TEST_GEMINI_KEY: KEY },
    });
    pipeline = resources.use(started);
    ({ system, client } = pipeline);
  });
  after(() => resources.disposeAsync());

  it("records thinking, text and usage as sent", async () => {
    const { id, watch } = await pipeline.submitWatched("disk alert");
    using _ = watch;
    await watch.next("session.completed");
    const session = await client.session(id);
    expect(session.timeline.map(({ event_type, content }) => [event_type, content])).to.deep.equal([
      ["llm_thinking", "The node is out of disk."],
      ["final_analysis", "## Root cause\n\nDisk 💾 full."],
      ["executive_summary", "The disk is full."],
    ]);
    for (const { event_id, event_type, content } of session.timeline) {
      // The summary is not streamed.
      if (event_type !== "executive_summary") expect(watch.streamed(event_id)).to.equal(content);
    }
    expect(session).to.include({
      executive_summary: "The disk is full.",
      input_tokens: 240,
      output_tokens: 60,
      thinking_tokens: 100,
      total_tokens: 400,
    });
    expect(JSON.stringify(gemini.requests[0]?.body)).to.include("disk alert");
    expect(JSON.stringify(gemini.requests[1]?.body)).to.include("Disk 💾 full.");
  });

  it("closes the provider's socket when the session is cancelled, and exposes the key nowhere", async () => {
    const id = await client.submit("another alert");
    using watch = await client.watch(id, { after_seq: 0 });
    await watch.next("stream.chunk");
    await client.request("POST", `/api/v1/sessions/${id}/cancel`);
    await (
      await gemini.request(2)
    ).closed;
    const session = await client.waitFor(id, ["cancelled"]);
    expect(session.timeline.map(({ status, content }) => [status, content])).to.deep.equal([
      ["cancelled", "this answer never ends"],
    ]);
    expect(system.output + JSON.stringify([session, watch.messages])).to.not.include(KEY);
  });
});
