import { expect } from "chai";
import { CHAT_SERVERS } from "../../services/llm-gateway/providers/langchain/servers/chat-servers.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { openSseServer } from "../support/sse-server.ts";

const TYPES = Object.keys(CHAT_SERVERS);

/** A chain of one agent for alerts of this type, which the provider of the same name answers. */
const chainFor = (type: string) => ({
  alert_types: [type],
  llm_provider: type,
  stages: [{ name: "analysis", agents: [{ name: "TestAgent" }] }],
});

describe("an investigation by each server of chat completions", () => {
  const resources = new AsyncDisposableStack();
  let pipeline: PipelineFixture;

  before(async () => {
    const server = resources.use(
      await openSseServer((reply, { path }) => {
        reply.data({ choices: [{ delta: { content: `Answered at ${path}` }, finish_reason: "stop" }] });
        reply.end();
      }),
    );
    const entry = (type: string) => ({
      type,
      model: "any-model",
      base_url: `${server.url}/${type}`,
      max_tool_result_tokens: 10_000,
    });
    const chains = TYPES.map((type) => [`${type}-chain`, chainFor(type)] as const);
    const [first = ""] = TYPES;
    const started = await PipelineFixture.start({
      config: {
        tarsy: {
          defaults: { llm_provider: first, alert_type: first },
          agent_chains: { ...Object.fromEntries(chains), "kubernetes-agent-chain": chainFor("kubernetes") },
        },
        providers: {
          llm_providers: {
            ...Object.fromEntries(TYPES.map((type) => [type, entry(type)])),
            kubernetes: entry(first),
          },
        },
      },
    });
    pipeline = resources.use(started);
  });
  after(() => resources.disposeAsync());
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });

  for (const type of TYPES) {
    it(`answers a session of provider type ${type}`, async () => {
      const id = await pipeline.client.submit("disk alert", { alert_type: type });
      const session = await pipeline.client.waitFor(id, ["completed"]);
      expect(session.final_analysis).to.equal(`Answered at /${type}/chat/completions`);
    });
  }
});
