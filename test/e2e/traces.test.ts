import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { OtlpCollector } from "../support/otlp-collector.ts";
import type { ReceivedSpan } from "../support/otlp-spans.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { itNightly } from "../support/nightly.ts";
import { chatModel } from "../support/chat-model.ts";
import { openSseServer, type SseServer } from "../support/sse-server.ts";
import { until } from "../support/until.ts";
import packageJson from "../../package.json" with { type: "json" };

const SERVER = join(import.meta.dirname, "..", "support", "mcp-servers", "telling-server.ts");
const CANARY = "canary-Zx81-secret-of-the-alert";
const configuration = (told: string, summarizer: string) => ({
  tarsy: {
    defaults: {
      llm_provider: "scripted",
      executive_summary_provider: "named",
      alert_type: "native",
      max_iterations: 5,
    },
    mcp_servers: {
      tell: { transport: { type: "stdio", command: process.execPath, args: [SERVER, told] } },
    },
    agents: { Investigator: { mcp_servers: ["tell"] } },
    agent_chains: {
      native: {
        alert_types: ["native"],
        description: "native",
        stages: [
          { name: "analysis", agents: [{ name: "Investigator", iteration_strategy: "native-thinking" }] },
        ],
      },
    },
  },
  providers: {
    llm_providers: {
      scripted: { type: "scripted", model: "scripted-test", script: "script.yaml" },
      named: { type: "openai", model: "named-model", base_url: `${summarizer}/v1` },
    },
  },
  script: {
    calls: [
      {
        when: { call: 1, contains: "SLOW" },
        steps: [
          { text: "one two three four five six seven", chunk_size: 4, chunk_delay: "300ms" },
          { tool_call: { name: "tell.look", arguments: { text: "slow" } } },
        ],
      },
      {
        when: { call: 1 },
        steps: [
          { text: "I look." },
          { tool_call: { name: "tell.look", arguments: { text: `api_key=${CANARY}` } } },
          { usage: { input_tokens: 11, output_tokens: 13, thinking_tokens: 7 } },
        ],
      },
      { steps: [{ text: "The disk is full." }] },
    ],
  },
});

const GENERATE = "llm.v1.LLMService/Generate";
const ENDED = ["completed", "failed", "cancelled", "timed_out"];
const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const TRACEPARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`;

describe("traces", () => {
  const folder = mkdtempSync(join(tmpdir(), "tarsy-traces-"));
  const told = join(folder, "told.jsonl");
  let summarizer: SseServer;
  const answer = chatModel(
    () => "The disk is full.",
    (model) => `${model}-2026-08-01`,
  );
  before(async () => void (summarizer = await openSseServer(answer)));
  after(async () => {
    rmSync(folder, { recursive: true });
    await summarizer[Symbol.asyncDispose]();
  });

  const start = async (resources: AsyncDisposableStack, env: Readonly<Record<string, string>>) => {
    const pipeline = resources.use(
      await PipelineFixture.start({
        config: configuration(told, summarizer.url),
        env: { OTEL_BSP_SCHEDULE_DELAY: "50", ...env },
      }),
    );
    return pipeline;
  };
  const submit = async (
    pipeline: PipelineFixture,
    data: string,
    headers: Readonly<Record<string, string>>,
  ) => {
    const response = await fetch(`${pipeline.system.api}/api/v1/alerts`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ data }),
    });
    expect(response.status).to.equal(202);
    return String(Reflect.get(Object(await response.json()), "session_id"));
  };
  const named = (spans: readonly ReceivedSpan[], name: string) => spans.filter((span) => span.name === name);
  /** The first of this name, below `parent` if that is given: a request that is sent again has two. */
  const one = (spans: readonly ReceivedSpan[], name: string, parent?: ReceivedSpan): ReceivedSpan => {
    const found = named(spans, name).find((span) => span.parentId === (parent?.spanId ?? span.parentId));
    if (found === undefined) throw new Error(`no span ${name}: ${spans.map((span) => span.name).join(", ")}`);
    return found;
  };

  describe("with a collector", () => {
    const resources = new AsyncDisposableStack();
    let collector: OtlpCollector;
    let pipeline: PipelineFixture;

    before(async () => {
      collector = resources.use(await OtlpCollector.start());
      pipeline = await start(resources, {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
        OTEL_EXPORTER_OTLP_HEADERS: "x-key=secretOfTheCollector1",
        OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
      });
    });
    after(() => resources.disposeAsync());
    afterEach(function () {
      pipeline.showOutputOf(this.currentTest);
    });

    it("are one from the request of an alert to the server of its tool", async () => {
      const { client } = pipeline;
      const id = await submit(pipeline, `disk full, password=${CANARY}`, { traceparent: TRACEPARENT });
      await client.waitFor(id, ENDED);
      // Each service sends its own spans, so the last of one may come before those of another.
      const spans = await until("the spans of every service", () => {
        const found = collector.trace(TRACE_ID);
        const names = [
          "POST /api/v1/alerts",
          "process SESSIONS",
          "tools/call look",
          "process tarsy.tools.call",
        ];
        const hasAll = names.every((name) => named(found, name).length > 0);
        return hasAll && named(found, GENERATE).length === 3 ? found : undefined;
      });
      const request = one(spans, "POST /api/v1/alerts");
      const run = one(spans, "process SESSIONS");
      const agent = one(spans, "invoke_agent Investigator");
      const tool = one(spans, "execute_tool tell.look");
      const asked = one(spans, "process tarsy.tools.call", tool);
      const called = one(spans, "tools/call look", asked);
      const chats = named(spans, "chat scripted-test");
      expect(chats).to.have.length(2);
      const { spanId, attributes: summary } = one(spans, "chat named-model");
      expect(request).to.include({ parentId: "b7ad6b7169203331", kind: 2 });
      expect(request.resource).to.include({ "service.version": packageJson.version });
      expect(run).to.include({ parentId: request.spanId, kind: 5 });
      expect(agent).to.include({ parentId: run.spanId, kind: 1 });
      expect(tool).to.include({ parentId: agent.spanId, kind: 1 });
      expect(asked).to.include({ parentId: tool.spanId, kind: 2 });
      expect(called).to.include({ parentId: asked.spanId, kind: 3 });
      expect(chats.filter(({ parentId }) => parentId === agent.spanId)).to.have.length(2);
      const generated = named(spans, GENERATE).map(({ parentId }) => parentId);
      expect(new Set(generated)).to.deep.equal(new Set([spanId, ...chats.map((chat) => chat.spanId)]));
      expect(spans.map(({ resource }) => resource["service.name"])).to.include.members([
        "tarsy-api",
        "tarsy-executor",
        "tarsy-llm-gateway",
        "tarsy-tool-runner",
      ]);
      for (const { attributes } of named(spans, GENERATE)) {
        expect(attributes).to.include({ "rpc.response.status_code": "OK" });
      }
      const usage = chats.find(({ attributes }) => attributes["gen_ai.usage.input_tokens"] === 11);
      expect(usage?.attributes).to.include({
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "scripted",
        "gen_ai.request.model": "scripted-test",
        "gen_ai.usage.output_tokens": 20,
        "gen_ai.conversation.id": id,
      });
      expect(summary["gen_ai.response.model"]).to.equal("named-model-2026-08-01");
      expect(tool.attributes).to.include({
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "tell.look",
      });
      expect(request.attributes).to.include({
        "http.route": "/api/v1/alerts",
        "http.response.status_code": 202,
      });
      expect(spans.filter(({ status }) => status === 2).map(({ name }) => name)).to.deep.equal([]);

      expect(await readFile(told, "utf8")).to.include(`"traceparent":"00-${TRACE_ID}-${called.spanId}-01"`);
      const sent = JSON.stringify(collector.spans);
      for (const text of [CANARY, "disk full", "I look", "seen "]) expect(sent).not.to.include(text);
      expect(collector.headers[0]).to.include({ "x-key": "secretOfTheCollector1" });
      expect(pipeline.system.output).not.to.include("secretOfTheCollector1");
    });

    itNightly("continue after the executor was killed, and log lines name them", async () => {
      const { client, system } = pipeline;
      const { id, watch } = await pipeline.submitWatched("SLOW");
      using _ = watch;
      await watch.next("stream.chunk");
      await system.stop("executor", "SIGKILL");
      await system.startService("executor");
      const session = await client.waitFor(id, ENDED);
      expect(session.status, session.error_message ?? "").to.equal("completed");
      const run = await until("the second run's span", () =>
        collector.spans.find(
          ({ name, attributes }) => name === "process SESSIONS" && attributes["tarsy.session.id"] === id,
        ),
      );
      expect(run.attributes).to.include({ "tarsy.session.epoch": 2, "tarsy.session.outcome": "completed" });
      // The gateway tells of the call that the killed executor made.
      const trace = await until("the spans of the gateway", () => {
        const found = collector.trace(run.traceId);
        return named(found, GENERATE).length >= 4 ? found : undefined;
      });
      expect(run.parentId).to.equal(one(trace, "POST /api/v1/alerts").spanId);
      expect(named(trace, "execute_tool tell.look")).to.have.length(1);
      const finished = await until("the line of its end", () =>
        system.output.split("\n").find((line) => line.includes("session finished") && line.includes(id)),
      );
      expect(finished).to.include(`"trace_id":"${run.traceId}"`).and.include('"span_id":"');
    });

    it("keep the decision of the client not to be sampled", async () => {
      const other = "11111111111111111111111111111111";
      const id = await submit(pipeline, "quiet", { traceparent: `00-${other}-b7ad6b7169203331-00` });
      await pipeline.client.waitFor(id, ENDED);
      const after = await submit(pipeline, "loud", {});
      await pipeline.client.waitFor(after, ENDED);
      await until("a later run's span", () =>
        collector.spans.find(
          ({ name, attributes }) => name === "process SESSIONS" && attributes["tarsy.session.id"] === after,
        ),
      );
      expect(collector.trace(other)).to.deep.equal([]);
    });
  });

  itNightly("have what models and tools say only where it is asked for, and masked", async () => {
    await using resources = new AsyncDisposableStack();
    const collector = resources.use(await OtlpCollector.start());
    const pipeline = await start(resources, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
    });
    const id = await submit(pipeline, `disk full, password=${CANARY}`, { traceparent: TRACEPARENT });
    await pipeline.client.waitFor(id, ENDED);
    const spans = await until("the run's span", () => {
      const found = collector.trace(TRACE_ID);
      return named(found, "process SESSIONS").length > 0 && named(found, "chat scripted-test").length === 2
        ? found
        : undefined;
    });
    const sent = JSON.stringify(collector.spans);
    expect(sent).not.to.include(CANARY);
    const tool = one(spans, "execute_tool tell.look");
    expect(tool.attributes["gen_ai.tool.call.arguments"]).to.include("[MASKED_");
    expect(tool.attributes["gen_ai.tool.call.result"]).to.include("seen api_key=[MASKED_");
    const inputs = named(spans, "chat scripted-test").map(({ attributes }) =>
      String(attributes["gen_ai.input.messages"]),
    );
    expect(inputs.some((text) => text.includes("disk full"))).to.equal(true);
    for (const text of inputs) expect(JSON.parse(text)).to.be.an("array").and.not.have.length(0);
    const outputs = named(spans, "chat scripted-test").map(
      ({ attributes }) => attributes["gen_ai.output.messages"],
    );
    expect(JSON.stringify(outputs)).to.include("I look.").and.include("tool_call");
  });

  itNightly("neither delay nor stop anything while the collector does not answer", async () => {
    await using resources = new AsyncDisposableStack();
    const collector = resources.use(await OtlpCollector.start({ hangs: true }));
    const pipeline = await start(resources, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_BSP_MAX_QUEUE_SIZE: "4",
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "2",
    });
    for (const data of ["first", "second", "third"]) {
      const session = await pipeline.client.waitFor(await submit(pipeline, data, {}), ENDED);
      expect(session.status, session.error_message ?? "").to.equal("completed");
    }
    await until("spans are sent", () => collector.headers.length > 0);
    expect(await pipeline.system.stop("executor", "SIGTERM")).to.equal(0);
    expect(pipeline.system.output).to.include("the last spans were not sent");
  });
});
