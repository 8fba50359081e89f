import { expect } from "chai";
import { resolveChain } from "#shared/agent-config/resolve-chain.ts";
import { loadText } from "./config-fixture.ts";

const PROVIDERS = `
llm_providers:
  one: {type: openai, model: m1, base_url: "http://127.0.0.1:1/v1"}
  two: {type: openai, model: m2, base_url: "http://127.0.0.1:1/v1"}
  three: {type: openai, model: m3, base_url: "http://127.0.0.1:1/v1"}
`;
const load = async (defaults: string, chain: string) =>
  loadText(
    `
defaults: {llm_provider: one, alert_type: X, ${defaults}}
agents:
  Judge: {type: scoring, custom_instructions: Be strict.}
agent_chains:
  plain:
    alert_types: [X]
    ${chain}
    stages: [{name: look, agents: [{name: GeneralWorker}]}]
`,
    PROVIDERS,
    {},
  );
const judge = async (defaults: string, chain = "description: x") =>
  resolveChain(await load(defaults, chain), "X").scoring;

describe("the judge of a chain", () => {
  it("is there if the chain says so, else if the defaults do; a block of the chain without `enabled` switches it off", async () => {
    expect(await judge("max_iterations: 3")).to.equal(undefined);
    expect(await judge("scoring: {enabled: true}")).to.have.nested.property("agent.name", "ScoringAgent");
    expect(await judge("scoring: {enabled: true}", "scoring: {llm_provider: two}")).to.equal(undefined);
    expect(await judge("scoring: {enabled: true}", "scoring: {enabled: false}")).to.equal(undefined);
    expect(await judge("max_iterations: 3", "scoring: {enabled: true, agent: Judge}")).to.deep.include({
      enabled: true,
    });
  });

  it("uses the provider of the chain's block, of the defaults' block, of the chain, or of the defaults, in this order", async () => {
    const providerOf = async (defaults: string, chain: string) =>
      (await judge(defaults, chain))?.agent.llm_provider.name;
    const scored = "scoring: {enabled: true, llm_provider: two}";
    expect(await providerOf(scored, "scoring: {enabled: true, llm_provider: three}")).to.equal("three");
    expect(await providerOf(scored, "llm_provider: three")).to.equal("two");
    expect(await providerOf("scoring: {enabled: true}", "llm_provider: three")).to.equal("three");
    expect(await providerOf("scoring: {enabled: true}", "description: x")).to.equal("one");
  });

  it("has its instructions, and neither servers nor native tools", async () => {
    const resolved = await judge("scoring: {enabled: true, agent: Judge, llm_provider: two}");
    expect(resolved?.agent).to.deep.include({
      name: "Judge",
      iteration_strategy: "scoring",
      mcp_servers: [],
      custom_instructions: "Be strict.",
    });
  });

  it("causes a warning if it is the investigators' model although there is another, and for keys without effect", async () => {
    const warnings = async (defaults: string, chain = "description: x") =>
      (await load(defaults, chain)).warnings.map(({ path, message }) => `${path} ${message}`).join("\n");
    expect(await warnings("scoring: {enabled: true}")).to.include(
      "defaults.scoring.enabled lets the model m1 judge its own investigations",
    );
    expect(await warnings("scoring: {enabled: true, llm_provider: two}")).to.not.include("judge its own");
    const useless = await warnings("scoring: {mcp_servers: [], max_iterations: 3}");
    expect(useless).to.include("defaults.scoring.mcp_servers is valid but has no effect");
    expect(useless).to.include("defaults.scoring.max_iterations is valid but has no effect");
  });
});
