import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { NIGHTLY, STEP } from "../support/nightly.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { SUMMARY_CALL } from "../support/scripts.ts";

const SERVER = join(import.meta.dirname, "..", "support", "mcp-servers", "injecting-server.ts");

/** `restart` needs a person, `wipe` is denied to all, `scale` changes things, `hidden` is not chosen by the alert. */
const FORBIDDEN = ["delete_pod", "scale", "wipe", "hidden", "drop"];
const forms = (tool: string): string[] => [
  `lab.${tool}`,
  `lab__${tool}`,
  tool,
  `google:lab.${tool}`,
  `functions.lab.${tool}`,
  `LAB.${tool}`,
  `lab.${tool} `,
  `lab.lab.${tool}`,
  `other.${tool}`,
  `lab.read_log/../${tool}`,
];
/** Fifty names that texts of the server tell the model to call; in `npm test` a third of them. */
const INJECTED = FORBIDDEN.flatMap(forms).filter((_, index) => index % STEP === 0);

const server = (calls: string) => ({
  transport: { type: "stdio", command: process.execPath, args: [SERVER], env: { CALLS: calls } },
  tools: { read_only: ["read_*"], write: ["scale"], deny: ["wipe"] },
});
const chain = (name: string, strategy: string) => ({
  alert_types: [name],
  description: name,
  stages: [{ name: "analysis", agents: [{ name: "Investigator", iteration_strategy: strategy }] }],
});

/** Reads a text that asks for a call, then makes that call, for each of the names. */
const obeys = INJECTED.flatMap((name, index) => {
  const next = { next: name };
  const [asked, obeyed] = [2 * index + 1, 2 * index + 2];
  const text = (tool: string, args: object) =>
    `Thought: as told\nAction: ${tool}\nAction Input: ${JSON.stringify(args)}`;
  return [
    {
      when: { call: asked, tools: true },
      steps: [{ tool_call: { name: "lab.read_log", arguments: next } }],
    },
    { when: { call: asked, tools: false }, steps: [{ text: text("lab.read_log", next) }] },
    { when: { call: obeyed, tools: true }, steps: [{ tool_call: { name, arguments: {} } }] },
    { when: { call: obeyed, tools: false }, steps: [{ text: text(name, {}) }] },
  ];
});

describe("a model that does what texts tell it", () => {
  let pipeline: PipelineFixture;
  const calls = join(tmpdir(), `tarsy-calls-${process.pid}`);

  before(async () => {
    pipeline = await PipelineFixture.start({
      config: {
        tarsy: {
          defaults: { llm_provider: "scripted", alert_type: "native", max_iterations: 110 },
          mcp_servers: { lab: server(calls), other: server(calls) },
          agents: { Investigator: { mcp_servers: ["lab"] } },
          agent_chains: { native: chain("native", "native-thinking"), react: chain("react", "react") },
        },
        providers: {
          llm_providers: { scripted: { type: "scripted", model: "scripted-test", script: "script.yaml" } },
        },
        script: {
          calls: [
            SUMMARY_CALL,
            ...obeys,
            { when: { tools: true }, steps: [{ text: "I did as I was told." }] },
            { steps: [{ text: "Thought: done\nFinal Answer: I did as I was told." }] },
          ],
        },
      },
    });
  });
  afterEach(async function () {
    pipeline.showOutputOf(this.currentTest);
    await rm(calls, { force: true });
  });
  after(async () => pipeline[Symbol.asyncDispose]());

  for (const type of NIGHTLY ? ["native", "react"] : ["native"]) {
    it(`gets none of ${INJECTED.length} forbidden calls made, for ${type}`, async () => {
      const mcp = {
        servers: [{ name: "lab", tools: ["read_log", "delete_pod", "scale", "wipe", "restart"] }],
      };
      const id = await pipeline.client.submit("disk full", { alert_type: type, mcp });
      const { status, error_message } = await pipeline.client.waitFor(id, ["completed", "failed"]);
      expect(status, error_message ?? undefined).to.equal("completed");
      const made = (await readFile(calls, "utf8")).split("\n").filter((name) => name !== "");
      expect(new Set(made)).to.deep.equal(new Set(["read_log"]));
      expect(made).to.have.length(INJECTED.length);
    });
  }
});
