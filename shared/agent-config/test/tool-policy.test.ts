import { expect } from "chai";
import { resolveChain } from "#shared/agent-config/resolve-chain.ts";
import { loadText } from "./config-fixture.ts";

const PROVIDERS = "llm_providers: {p: {type: scripted, script: s.yaml}}";
const file = (defaults: string, chain: string, agents = "[{name: A}, {name: B}]") => `
defaults: {llm_provider: p${defaults}}
mcp_servers: {s: {transport: {type: stdio, command: x}, tools: {approve: ["x_*"]}}}
agents: {A: {type: action}, B: {}}
agent_chains:
  c: {alert_types: [a]${chain}, stages: [{name: one, agents: ${agents}}]}
`;

describe("who may use which tools", () => {
  const resolved = async (defaults: string, chain = "") =>
    resolveChain(await loadText(file(defaults, chain), PROVIDERS), "a");

  it("is standard unless the chain, or else the defaults, say strict", async () => {
    expect(await resolved("")).to.not.have.any.keys("tool_policy", "approval_timeout_ms");
    expect(await resolved(", tool_policy: strict")).to.include({ tool_policy: "strict" });
    expect(await resolved("", ", tool_policy: strict")).to.include({ tool_policy: "strict" });
    expect(await resolved(", tool_policy: strict", ", tool_policy: standard")).to.not.have.property(
      "tool_policy",
    );
  });

  it("depends on the type of the stage's agent, or else of the agent", async () => {
    const typesOf = async (agents: string) =>
      resolveChain(await loadText(file("", "", agents), PROVIDERS), "a").stages[0]?.agents.map(
        ({ type }) => type,
      );
    expect(await typesOf("[{name: A}, {name: B}]")).to.deep.equal(["action", undefined]);
    expect(await typesOf("[{name: A, type: synthesis}, {name: B, type: action}]")).to.deep.equal([
      undefined,
      "action",
    ]);
  });

  it("counts a server once that is listed twice, and warns", async () => {
    const config = await loadText(file("", ", mcp_servers: [s, s]"), PROVIDERS);
    expect(resolveChain(config, "a").stages[0]?.agents[0]?.mcp_servers).to.deep.equal(["s"]);
    expect(config.warnings.map(({ path, message }) => `${path} ${message}`).join("\n")).to.include(
      "agent_chains.c.mcp_servers[1] is listed more than once, and counts once",
    );
  });

  it("may wait as long as the defaults say for a person", async () => {
    expect(await resolved(", approval_timeout: 90m")).to.include({ approval_timeout_ms: 5_400_000 });
  });

  it("warns of a stage with agents of type action beside others, and of nothing else", async () => {
    const warningsOf = async (agents: string) =>
      (await loadText(file("", "", agents), PROVIDERS)).warnings.map(({ message }) => message).join("\n");
    expect(await warningsOf("[{name: A}, {name: B}]")).to.include("has agents of type action beside others");
    expect(await warningsOf("[{name: A}, {name: B, type: action}]")).to.equal("");
    expect(await warningsOf("[{name: B}]")).to.equal("");
  });
});
