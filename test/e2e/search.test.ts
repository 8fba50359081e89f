import { expect } from "chai";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { describeNightly } from "../support/nightly.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { SUMMARY_CALL } from "../support/scripts.ts";
import { until } from "../support/until.ts";

const LAG = "tarsy_api_search_index_lag_seconds";

const parseList = compileParser(
  "list",
  Type.Object(
    {
      sessions: Type.Array(
        Type.Object(
          { id: Type.String(), matched_in_content: Type.Boolean() },
          { additionalProperties: true },
        ),
      ),
    },
    { additionalProperties: true },
  ),
);

describeNightly("the search for what sessions have found", () => {
  let pipeline: PipelineFixture;

  before(async () => {
    pipeline = await PipelineFixture.start({
      config: {
        tarsy: {
          defaults: { llm_provider: "scripted", alert_type: "test" },
          mcp_servers: { k8s: { transport: { type: "stdio", command: "true" } } },
          agents: { TestAgent: { mcp_servers: ["k8s"], iteration_strategy: "native-thinking" } },
        },
        script: {
          calls: [
            SUMMARY_CALL,
            { when: { call: 1 }, steps: [{ tool_call: { name: "k8s.events", arguments: {} } }] },
            { steps: [{ text: "a pod was evicted" }] },
          ],
        },
        stubTools: {
          servers: {
            k8s: { events: { read_only: true, results: [{ text: "the quasar pod was evicted" }] } },
          },
        },
      },
    });
  });
  after(() => pipeline[Symbol.asyncDispose]());
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });

  const found = async (term: string) =>
    parseList((await pipeline.client.request("GET", `/api/v1/sessions?search=${term}`)).body).sessions;
  /** The lags of all apis, in seconds. */
  const lags = async () => {
    const texts = await Promise.all(
      pipeline.system
        .running()
        .map(async ({ healthPort }) => (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text()),
    );
    return texts.flatMap((text) => {
      const value = new RegExp(`^${LAG}(?:\\{[^}]*\\})? (\\S+)$`, "mu").exec(text)?.[1];
      return value === undefined ? [] : [Number(value)];
    });
  };

  it("finds a tool result soon after its session ended, and shows the lag", async () => {
    const id = await pipeline.client.submit("pods disappear");
    await pipeline.client.waitFor(id, ["completed"]);
    const sessions = await until("the tool result is found", async () => {
      const hits = await found("quasar");
      return hits.length > 0 && hits;
    });
    expect(sessions).to.have.length(1);
    expect(sessions[0]).to.include({ id, matched_in_content: true });
    const shown = await lags();
    expect(shown).to.have.length(1);
    expect(shown[0]).to.be.at.least(0);
  });
});
