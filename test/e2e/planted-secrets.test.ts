import { once } from "node:events";
import { createServer } from "node:http";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "chai";
import { listenToAll, metricTexts, tableTexts } from "../support/all-places.ts";
import { planted, plantedEnvironment, plantedFile, secretsIn } from "../support/planted-secrets.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { SUMMARY_CALL } from "../support/scripts.ts";
import { SseClient } from "../support/sse-client.ts";
import { traceCalls } from "../support/trace-calls.ts";

const run = promisify(execFile);

/** Secrets in every place of the configuration that takes text. `address` is that of a provider that refuses every call. */
function configuration(address: string) {
  const agent = (name: string, strategy: string, provider?: string) => ({
    alert_types: [name],
    description: `about {{.DESCRIPTION_TOKEN}}`,
    stages: [
      {
        name: "analysis",
        agents: [
          {
            name: "Investigator",
            iteration_strategy: strategy,
            ...(provider === undefined ? {} : { llm_provider: provider }),
          },
        ],
      },
    ],
  });
  return {
    tarsy: {
      defaults: {
        llm_provider: "scripted",
        alert_type: "react",
        runbook: `Log in with {{.RUNBOOK_PASSWORD}} and {{.PLAIN_NAME}}.`,
      },
      mcp_servers: {
        k8s: {
          transport: {
            type: "stdio",
            command: "true",
            args: ["--token", planted("ARGUMENT"), `--key=${planted("ASSIGNED")}`],
          },
          instructions: `Ask with {{.INSTRUCTIONS_TOKEN}}.`,
        },
        web: {
          transport: {
            type: "http",
            url: `https://user:${planted("URL_PASSWORD")}@h.example/mcp?api_key=${planted("URL_QUERY")}`,
            bearer_token: planted("BEARER_LITERAL"),
          },
          instructions: "None.",
        },
        inserted: {
          transport: {
            type: "sse",
            url: `https://h.example/sse?t={{.URL_TOKEN}}`,
            bearer_token: `{{.BEARER_TOKEN}}`,
          },
        },
      },
      agents: {
        Investigator: {
          mcp_servers: ["k8s"],
          custom_instructions: `Use {{.CUSTOM_TOKEN}}.\nFrom the file: {{.FILE_TOKEN}}`,
        },
      },
      agent_chains: {
        react: agent("react", "react"),
        native: agent("native", "native-thinking"),
        refused: agent("refused", "single-call", "refusing"),
        "kubernetes-agent-chain": agent("kubernetes", "single-call"),
      },
    },
    providers: {
      llm_providers: {
        scripted: { type: "scripted", model: "scripted-test", script: "script.yaml" },
        refusing: {
          type: "openai",
          model: "m",
          api_key_env: "OPENAI_API_KEY",
          base_url: `${address}/v1?key=${planted("PROVIDER_QUERY")}`,
          max_tool_result_tokens: 1000,
        },
        unused: {
          type: "google",
          model: "m",
          api_key_env: "GOOGLE_API_KEY",
          base_url: `https://u:${planted("PROVIDER_PASSWORD")}@h.example/`,
          max_tool_result_tokens: 1000,
        },
      },
    },
    stubTools: {
      servers: {
        k8s: { pods: { description: "Lists pods", read_only: true, results: [{ text: "one pod" }] } },
      },
    },
    script: {
      calls: [
        SUMMARY_CALL,
        // Only a caller with the values gets an answer, as a model has them.
        {
          when: {
            call: 1,
            tools: true,
            contains: `Use ${planted("CUSTOM_TOKEN")}.\nFrom the file: ${planted("FILE_TOKEN")}`,
          },
          steps: [{ tool_call: { name: "k8s.pods", arguments: {} } }],
        },
        {
          when: {
            call: 1,
            contains: `Log in with ${planted("RUNBOOK_PASSWORD")} and ${planted("PLAIN_NAME")}.`,
          },
          steps: [{ text: "Thought: look\nAction: k8s.pods\nAction Input:" }],
        },
        {
          when: { call: 1 },
          steps: [
            { error: { code: "invalid_request", message: "the prompt has no values", retryable: false } },
          ],
        },
        { when: { call: 2, tools: true }, steps: [{ text: "It is one pod." }] },
        { steps: [{ text: "Thought: clear\nFinal Answer: It is one pod." }] },
      ],
    },
  };
}

describe("thirty secrets in configuration and environment", () => {
  const resources = new AsyncDisposableStack();
  const calls: string[] = [];
  let onBus: readonly string[];
  let pipeline: PipelineFixture;
  let sessions: string[];

  before(async () => {
    // A provider that refuses every call and repeats the key that it got.
    const provider = createServer((request, response) => {
      calls.push(request.headers.authorization ?? "");
      response.writeHead(401, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: `bad key ${request.headers.authorization}` } }));
    });
    provider.listen(0, "127.0.0.1");
    await once(provider, "listening");
    resources.defer(() => void provider.close());
    const address = provider.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    const config = configuration(`http://127.0.0.1:${port}`);
    pipeline = resources.use(
      await PipelineFixture.start({
        config,
        files: { ".env": plantedFile() },
        env: { ...plantedEnvironment(), LOG_LEVEL: "debug" },
      }),
    );
    onBus = await listenToAll(pipeline.servers, resources);
    const { client } = pipeline;
    sessions = [];
    for (const type of ["react", "native", "refused"]) {
      const id = await client.submit("disk full", { alert_type: type });
      const { status, error_message } = await client.waitFor(id, ["completed", "failed"]);
      expect([type, status], error_message ?? "").to.deep.equal([
        type,
        type === "refused" ? "failed" : "completed",
      ]);
      sessions.push(id);
    }
  });
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });
  after(() => resources.disposeAsync());

  const expectNone = (texts: readonly string[]) => {
    expect(texts.join("").length, "there is something to search").to.be.above(500);
    for (const text of texts) expect(secretsIn(text), text.slice(0, 2_000)).to.deep.equal([]);
  };

  it("reach the model and the provider", () => {
    expect(calls).to.include(`Bearer ${planted("OPENAI_API_KEY")}`);
  });

  it("are in no table", async () => {
    const dump = (await tableTexts(pipeline.servers)).map(([, content]) => content);
    expectNone(dump);
    expect(dump.join("")).to.include("{{.CUSTOM_TOKEN").and.include("{{.RUNBOOK_PASSWORD");
  });

  it("are in no message on the bus", () => {
    for (const kind of ["sessions", "events", "chunks", "tools"]) {
      expect(
        onBus.some((message) => message.includes(`tarsy.${kind}.`)),
        kind,
      ).to.equal(true);
    }
    expectNone(onBus);
  });

  it("are in no log and no metric", async () => {
    expectNone([pipeline.system.output]);
    for (const [, text] of await metricTexts(pipeline.system)) expectNone([text]);
  });

  it("are in no view", async () => {
    const { client, system } = pipeline;
    const get = async (path: string) => {
      const response = await fetch(`${system.api}${path}`);
      expect(response.status, path).to.equal(200);
      return response.text();
    };
    const views = await Promise.all(
      ["/health", "/api/v1/system/config", "/api/v1/system/config?view=file", "/api/v1/alert-types"].map(get),
    );
    for (const id of sessions) {
      for (const path of ["", "/timeline", "/events?limit=1000", "/trace"]) {
        views.push(await get(`/api/v1/sessions/${id}${path}`));
      }
      for (const { id: interaction_id } of traceCalls(JSON.parse(views.at(-1) ?? "")).llm) {
        views.push(await get(`/api/v1/sessions/${id}/trace/llm/${interaction_id}`));
      }
      views.push(await get(`/api/v1/sessions/${id}/cassette`));
      await using stream = await SseClient.open(`${system.api}/api/v1/sessions/${id}/events`);
      await stream.ended;
      views.push(JSON.stringify(stream.events));
      using watch = await client.watch(id, { after_seq: 0 });
      await watch.next("session.completed");
      views.push(JSON.stringify(watch.messages));
    }
    expectNone([views.join("\n")]);
    expect(views.join(""))
      .to.include("Use {{.CUSTOM_TOKEN}}.")
      .and.include("Log in with {{.RUNBOOK_PASSWORD}}");
  });

  it("are not shown by the command", async () => {
    const show = async (command: string) =>
      run(process.execPath, ["scripts/config.ts", command, "--config-dir", pipeline.configDir], {
        env: { PATH: process.env["PATH"], ...plantedEnvironment() },
      });
    const shown = await Promise.all([show("show"), show("check")]);
    expectNone([shown.map(({ stdout, stderr }) => stdout + stderr).join("")]);
  });
});
