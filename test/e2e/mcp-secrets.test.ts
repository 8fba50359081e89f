import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { listenToAll, metricTexts, tableTexts } from "../support/all-places.ts";
import { describeNightly } from "../support/nightly.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { SUMMARY_CALL } from "../support/scripts.ts";
import { hasSecret, SECRET_STATEMENTS } from "../support/secret-statements.ts";
import { SseClient } from "../support/sse-client.ts";

const parseRow = compileParser("row", Type.Object({ content: Type.String() }));

/** Only the tool-runner may know them. */
const OWN = { MCP_TOKEN: "ownTokenOfTheServer19", LEAK_HEADER: "ownHeaderOfTheServer23" };
/** Stands in a part of a result of its own, behind the part with its key. */
const SECOND_HALF = "SecretInTheSecondPart99";
const SERVER = join(import.meta.dirname, "..", "support", "mcp-servers", "leaking-server.ts");
const ALL = SECRET_STATEMENTS.map(({ text }) => text).join("\n");
const TOOLS =
  "text parts split lines json structured both refused resource link echo environment progress error death".split(
    " ",
  );

const chain = (name: string, strategy: string) => ({
  alert_types: [name],
  description: name,
  stages: [{ name: "analysis", agents: [{ name: "Investigator", iteration_strategy: strategy }] }],
});
const configuration = {
  tarsy: {
    defaults: { llm_provider: "scripted", alert_type: "native", max_iterations: 30 },
    mcp_servers: {
      leak: {
        transport: {
          type: "stdio",
          command: process.execPath,
          args: [SERVER],
          env: { MCP_TOKEN: "{{.MCP_TOKEN}}", LEAK_HEADER: "{{.LEAK_HEADER}}" },
        },
      },
    },
    agents: { Investigator: { mcp_servers: ["leak"] } },
    agent_chains: { native: chain("native", "native-thinking"), react: chain("react", "react") },
  },
  providers: {
    llm_providers: { scripted: { type: "scripted", model: "scripted-test", script: "script.yaml" } },
  },
  script: {
    calls: [
      SUMMARY_CALL,
      ...TOOLS.flatMap((name, index) => [
        {
          when: { call: index + 1, tools: true },
          steps: [{ tool_call: { name: `leak.${name}`, arguments: { text: ALL } } }],
        },
        {
          when: { call: index + 1, tools: false },
          steps: [
            {
              text: `Thought: look\nAction: leak.${name}\nAction Input: ${JSON.stringify({ text: ALL })}`,
            },
          ],
        },
      ]),
      { when: { tools: true }, steps: [{ text: "All of it leaks." }] },
      { steps: [{ text: "Thought: clear\nFinal Answer: All of it leaks." }] },
    ],
  },
};

describeNightly("thirty secrets in all that a server of tools sends", () => {
  const resources = new AsyncDisposableStack();
  const views: string[] = [];
  let onBus: readonly string[];
  let pipeline: PipelineFixture;

  before(async () => {
    pipeline = resources.use(
      await PipelineFixture.start({
        config: configuration,
        files: {
          "tool-runner.env": Object.entries(OWN)
            .map(([name, value]) => `${name}=${value}\n`)
            .join(""),
        },
        env: { LOG_LEVEL: "debug" },
        ownServers: true,
      }),
    );
    onBus = await listenToAll(pipeline.servers, resources);
    const { client, system } = pipeline;
    for (const type of ["native", "react"]) {
      const id = await client.submit(`disk full\n${ALL}`, { alert_type: type });
      using watch = await client.watch(id, { after_seq: 0 });
      const { status, error_message } = await client.waitFor(id, ["completed", "failed"]);
      expect([type, status], error_message ?? "").to.deep.equal([type, "completed"]);
      await watch.next("session.completed");
      views.push(JSON.stringify(watch.messages));
      await using stream = await SseClient.open(`${system.api}/api/v1/sessions/${id}/events`);
      await stream.ended;
      views.push(JSON.stringify(stream.events));
      for (const path of ["", "/timeline", "/events?limit=1000", "/trace", "/cassette"]) {
        views.push(await (await fetch(`${system.api}/api/v1/sessions/${id}${path}`)).text());
      }
    }
  });
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });
  after(() => resources.disposeAsync());

  const expectNone = (text: string) => {
    expect(text.length, "there is something to search").to.be.above(200);
    const leaked = SECRET_STATEMENTS.filter((secret) => hasSecret(text, secret)).map(({ name }) => name);
    const own = [...Object.values(OWN), SECOND_HALF].filter((value) => text.includes(value));
    expect([...leaked, ...own]).to.deep.equal([]);
  };

  it("are in no table, and all calls were made", async () => {
    const { servers } = pipeline;
    for (const [name, content] of await tableTexts(servers)) {
      if (content !== "") expectNone(`${name}: ${content.padEnd(200)}`);
    }
    const made = await servers.query("SELECT name AS content FROM tool_calls", []);
    expect(new Set(made.map((row) => parseRow(row).content.slice("leak.".length)))).to.deep.equal(
      new Set(TOOLS),
    );
  });

  it("are in no message on the bus", () => {
    expect(onBus.some((message) => message.startsWith("tarsy.tools.call"))).to.equal(true);
    // What the executor asks of the tool-runner has the arguments as the model wrote them: see below.
    expectNone(onBus.filter((message) => !message.startsWith("tarsy.tools.call")).join("\n"));
  });

  it("are in no view, live or later", () => {
    expectNone(views.join("\n"));
  });

  it("are in no log and no metric", async () => {
    expectNone(pipeline.system.output);
    for (const [, text] of await metricTexts(pipeline.system)) expectNone(text);
  });

  it("of the server's own settings are in the environment of the tool-runner's server alone", async () => {
    for (const { process: service } of pipeline.system.running()) {
      expectNone((await readFile(`/proc/${service.pid}/environ`, "utf8")).padEnd(300));
    }
  });
});
