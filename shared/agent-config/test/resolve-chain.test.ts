import { expect } from "chai";
import {
  parseResolvedChain,
  storedChain,
  hashResolvedChain,
  type ResolvedAgent,
} from "#shared/contracts/resolved-chain.ts";
import { resolveChain } from "#shared/agent-config/resolve-chain.ts";
import { TerminalError } from "#shared/errors.ts";
import { loadText } from "./config-fixture.ts";

type Level = "block" | "stage" | "chain" | "agent" | "defaults";
const LEVELS: readonly Level[] = ["block", "stage", "chain", "agent", "defaults"];

/** Loads a chain `c` with the given setting at each level. */
async function agentWith(settings: Partial<Record<Level, string>>): Promise<ResolvedAgent> {
  const at = (level: Level) => settings[level] ?? "description: none";
  const provider = (name: string) => `  ${name}: {type: scripted, script: s.yaml}\n`;
  const tarsy = `
defaults:
  ${settings.defaults?.startsWith("llm_provider") === true ? "" : "llm_provider: p-fallback"}
  ${settings.defaults ?? ""}
mcp_servers:
${LEVELS.map((level) => `  s-${level}: {transport: {type: stdio, command: x}}`).join("\n")}
agents:
  A:
    ${at("agent")}
agent_chains:
  c:
    alert_types: [a]
    ${at("chain")}
    stages:
      - name: one
        ${at("stage")}
        agents:
          - name: A
            ${at("block")}
`;
  const providers = `llm_providers:\n${["fallback", ...LEVELS].map((name) => provider(`p-${name}`)).join("")}`;
  const config = await loadText(tarsy, providers);
  const agent = resolveChain(config, "a").stages[0]?.agents[0];
  if (agent === undefined) throw new Error("the chain has no agent");
  return agent;
}

interface Row {
  readonly setting: string;
  /** The levels that may set it, nearest first. */
  readonly order: readonly Level[];
  readonly write: (level: Level) => string;
  readonly read: (agent: ResolvedAgent) => unknown;
  /** The resolved value of a level's setting. */
  readonly value: (level: Level) => unknown;
  readonly otherwise: unknown;
}

const number = (level: Level) => 30 + LEVELS.indexOf(level);
const STRATEGIES = {
  block: "react",
  stage: "",
  chain: "",
  agent: "synthesis",
  defaults: "native-thinking",
} as const;

const TABLE: readonly Row[] = [
  {
    setting: "iteration_strategy",
    order: ["block", "agent", "defaults"],
    write: (level) => `iteration_strategy: ${STRATEGIES[level]}`,
    read: (agent) => agent.iteration_strategy,
    value: (level) => STRATEGIES[level],
    otherwise: "single-call",
  },
  {
    setting: "llm_provider",
    order: ["block", "chain", "defaults"],
    write: (level) => `llm_provider: p-${level}`,
    read: (agent) => agent.llm_provider.name,
    value: (level) => `p-${level}`,
    otherwise: "p-fallback",
  },
  {
    setting: "fallback_providers",
    order: ["block", "stage", "chain", "defaults"],
    write: (level) => `fallback_providers: [{provider: p-${level}}]`,
    read: (agent) => agent.fallback_providers?.map(({ name }) => name).join(),
    value: (level) => `p-${level}`,
    otherwise: undefined,
  },
  {
    setting: "max_iterations",
    order: LEVELS,
    write: (level) => `max_iterations: ${number(level)}`,
    read: (agent) => agent.max_iterations,
    value: number,
    otherwise: 20,
  },
  {
    setting: "iteration_timeout",
    order: LEVELS,
    write: (level) => `iteration_timeout: ${number(level)}s`,
    read: (agent) => agent.iteration_timeout_ms,
    value: (level) => number(level) * 1000,
    otherwise: 120_000,
  },
  {
    setting: "mcp_servers",
    order: ["block", "stage", "chain", "agent"],
    write: (level) => `mcp_servers: [s-${level}]`,
    read: (agent) => agent.mcp_servers.join(),
    value: (level) => `s-${level}`,
    otherwise: "",
  },
  {
    setting: "custom_instructions",
    order: ["agent"],
    write: (level) => `custom_instructions: from ${level}`,
    read: (agent) => agent.custom_instructions,
    value: (level) => `from ${level}`,
    otherwise: "",
  },
];

/** Every subset of the levels. */
function subsets(levels: readonly Level[]): Level[][] {
  return Array.from({ length: 2 ** levels.length }, (_, bits) =>
    levels.filter((_level, at) => Math.floor(bits / 2 ** at) % 2 === 1),
  );
}

describe("resolveChain", () => {
  for (const { setting, order, write, read, value, otherwise } of TABLE) {
    it(`takes ${setting} from the nearest of ${order.join(", ")}, with each set and unset`, async () => {
      for (const levels of subsets(order)) {
        const agent = await agentWith(Object.fromEntries(levels.map((level) => [level, write(level)])));
        const nearest = levels[0];
        const expected = nearest === undefined ? otherwise : value(nearest);
        expect(read(agent), `set at ${levels.join(", ") || "no level"}`).to.equal(expected);
      }
    });
  }

  it("treats an empty list of servers as not set", async () => {
    const agent = await agentWith({ stage: "mcp_servers: []", agent: "mcp_servers: [s-agent]" });
    expect(agent.mcp_servers).to.deep.equal(["s-agent"]);
  });

  it("clears the fallback providers by an empty list, and gives a synthesis those of its chain", async () => {
    const agent = await agentWith({
      block: "fallback_providers: []",
      defaults: "fallback_providers: [{provider: p-chain}]",
    });
    expect(agent).not.to.have.property("fallback_providers");
    const config = await loadText(
      `
defaults: {llm_provider: one, fallback_providers: [{provider: two}]}
agents: {A: {}}
agent_chains:
  c:
    alert_types: [a]
    stages: [{name: s, agents: [{name: A}], replicas: 2, fallback_providers: [{provider: three, backend: langchain}]}]
`,
      ["one", "two", "three"].reduce(
        (text, name) =>
          `${text}  ${name}: {type: google, model: ${name}, max_tool_result_tokens: 1000, api_key_env: K}\n`,
        "llm_providers:\n",
      ),
      { K: "x" },
    );
    const [stage] = resolveChain(config, "a").stages;
    const shown = [...(stage?.agents ?? []), stage?.synthesis].map((one) =>
      one?.fallback_providers?.map(({ name, backend }) => [name, backend]),
    );
    expect(shown).to.deep.equal([
      [["three", "langchain"]],
      [["three", "langchain"]],
      [["two", "google-native"]],
    ]);
  });

  it("multiplies agents by replicas and adds the built-in synthesis to a stage with several", async () => {
    const config = await loadText(`
defaults: {llm_provider: test, success_policy: all}
agents: {A: {iteration_strategy: react}, B: {}, S: {iteration_strategy: synthesis-native-thinking}}
agent_chains:
  c:
    alert_types: [a]
    stages:
      - {name: single, agents: [{name: A}], replicas: 1}
      - {name: replicas, agents: [{name: A}], replicas: 3, success_policy: any}
      - {name: several, agents: [{name: A}, {name: B}], synthesis: {agent: S, llm_provider: test}}
      - {name: both, agents: [{name: A}, {name: B}], replicas: 2, synthesis: {iteration_strategy: single-call}}
`);
    const { stages } = resolveChain(config, "a");
    expect(
      stages.map((stage) => [
        stage.parallel_type,
        stage.success_policy,
        stage.agents.map(({ name }) => name).join(""),
      ]),
    ).to.deep.equal([
      [null, "all", "A"],
      ["replica", "any", "AAA"],
      ["multi_agent", "all", "AB"],
      ["multi_agent", "all", "AABB"],
    ]);
    const syntheses = stages.map(
      ({ synthesis }) => synthesis && [synthesis.name, synthesis.iteration_strategy],
    );
    expect(syntheses).to.deep.equal([
      undefined,
      ["SynthesisAgent", "synthesis"],
      ["S", "synthesis-native-thinking"],
      ["SynthesisAgent", "single-call"],
    ]);
  });

  it("uses the policy any by default", async () => {
    const config = await loadText("defaults: {llm_provider: test}\n");
    expect(resolveChain(config, "kubernetes").stages[0]?.success_policy).to.equal("any");
  });

  it("gives an agent without a time of its own as long as its provider's calls may take", async () => {
    const providers =
      "llm_providers:\n  slow: {type: scripted, script: s.yaml, max_output_tokens: 500, timeouts: {call: 5m}}\n  test: {type: scripted, script: s.yaml}\n";
    const agents =
      "[{name: A, llm_provider: slow}, {name: A, llm_provider: slow, iteration_timeout: 6m}, {name: A}, {name: A, fallback_providers: [{provider: slow}]}]";
    const tarsy = `defaults: {llm_provider: test}\nagents: {A: {}}\nagent_chains: {c: {alert_types: [a], stages: [{name: s, agents: ${agents}}]}}\n`;
    const resolved = resolveChain(await loadText(tarsy, providers), "a").stages[0]?.agents ?? [];
    expect(
      resolved.map(({ iteration_timeout_ms, llm_provider: { call_timeout_ms, max_output_tokens } }) => ({
        iteration_timeout_ms,
        call_timeout_ms,
        max_output_tokens,
      })),
    ).to.deep.equal([
      { iteration_timeout_ms: 300_000, call_timeout_ms: 300_000, max_output_tokens: 500 },
      { iteration_timeout_ms: 360_000, call_timeout_ms: 300_000, max_output_tokens: 500 },
      { iteration_timeout_ms: 120_000, call_timeout_ms: undefined, max_output_tokens: undefined },
      { iteration_timeout_ms: 300_000, call_timeout_ms: 120_000, max_output_tokens: undefined },
    ]);
  });

  it("chooses the backend by the provider's type", async () => {
    const entry = (type: string) =>
      `  ${type}: {type: ${type}, model: m, max_tool_result_tokens: 1000, api_key_env: K}\n`;
    const types = ["google", "openai", "anthropic", "xai", "vertexai"];
    const providers = `llm_providers:\n${types.map(entry).join("")}  scripted: {type: scripted, script: s.yaml}\n`;
    const agents = [...types, "scripted"].map((type) => `{name: A, llm_provider: ${type}}`).join(", ");
    const tarsy = `defaults: {llm_provider: google}\nagents: {A: {iteration_strategy: native-thinking}}\nagent_chains: {c: {alert_types: [a], stages: [{name: s, agents: [${agents}]}]}}\n`;
    const chain = resolveChain(await loadText(tarsy, providers, { K: "x" }), "a");
    expect(chain.stages[0]?.agents.map(({ llm_provider }) => llm_provider.backend)).to.deep.equal([
      "google-native",
      "langchain",
      "langchain",
      "langchain",
      "langchain",
      "scripted",
    ]);
  });

  it("contains the values of project and location but only the names of keys", async () => {
    const env = { GOOGLE_CLOUD_PROJECT: "p1", GOOGLE_CLOUD_LOCATION: "l1", GOOGLE_API_KEY: "hush" };
    const tarsy =
      "defaults: {llm_provider: vertexai-default}\nagent_chains: {c: {alert_types: [a], llm_provider: google-default, stages: [{name: s, agents: [{name: ChatAgent}]}]}}\n";
    const config = await loadText(tarsy, undefined, env);
    expect(resolveChain(config, undefined).stages[0]?.agents[0]?.llm_provider).to.include({
      project: "p1",
      location: "l1",
    });
    const google = resolveChain(config, "a");
    expect(google.stages[0]?.agents[0]?.llm_provider.api_key_env).to.equal("GOOGLE_API_KEY");
    expect(JSON.stringify(google)).not.to.include("hush");
  });

  it("returns a chain that satisfies its contract, and equal chains for equal files", async () => {
    const chains = await Promise.all(
      [1, 2].map(async () => resolveChain(await loadText("defaults: {llm_provider: test}\n"), "")),
    );
    const [one, two] = chains.map((chain) =>
      hashResolvedChain(parseResolvedChain(JSON.parse(JSON.stringify(storedChain(chain))))),
    );
    expect(one).to.equal(two);
    expect(chains[0]?.mcp_server_instructions).to.have.all.keys("kubernetes-server");
    expect(chains[0]).to.include({
      session_timeout_ms: 900_000,
      max_parallel_agents: 5,
      alert_type: "kubernetes",
    });
  });

  it("rejects an alert type without a chain and lists the known ones", async () => {
    const config = await loadText("defaults: {llm_provider: test}\n");
    expect(() => resolveChain(config, "disk")).to.throw(TerminalError, "use one of kubernetes");
  });
});
