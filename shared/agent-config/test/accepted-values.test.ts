import { expect } from "chai";
import { resolveChain } from "#shared/agent-config/resolve-chain.ts";
import { DEFAULTS, SCRIPTED, loadText } from "./config-fixture.ts";

/** Files of other installations have such values. */
describe("values without effect", () => {
  it("takes zero and an empty list for not set where they are no setting, and warns", async () => {
    const config = await loadText(
      `queue: {worker_count: 0, max_concurrent_sessions: 0, session_timeout: 0s}
system: {retention: {session_retention_days: 0}, runbooks: {allowed_domains: []}}
defaults:
  llm_provider: test
  memory: {max_inject: 0, reflector_memory_limit: 0}
mcp_servers:
  m:
    transport: {type: http, url: "http://127.0.0.1:1/mcp", timeout: 0}
    summarization: {size_threshold_tokens: 0}
`,
      `${SCRIPTED}  x: {type: openai, model: m, max_tool_result_tokens: 0}\n`,
    );
    expect(config.queue).to.include({
      worker_count: 5,
      max_concurrent_sessions: 5,
      session_timeout_ms: 900_000,
    });
    expect(config.defaults.memory).to.include({ max_inject: 5, reflector_memory_limit: 20 });
    const zeros = config.warnings.filter(({ message }) => message.includes("counts as not set"));
    expect(zeros.map(({ path, message }) => `${path} ${message}`)).to.deep.equal([
      "llm_providers.x.max_tool_result_tokens is zero and counts as not set, found 0",
      "queue.worker_count is zero and counts as not set, found 0",
      "queue.max_concurrent_sessions is zero and counts as not set, found 0",
      "queue.session_timeout is zero and counts as not set, found 0s",
      "system.retention.session_retention_days is zero and counts as not set, found 0",
      "system.runbooks.allowed_domains is empty and counts as not set, found a list",
      "defaults.memory.max_inject is zero and counts as not set, found 0",
      "defaults.memory.reflector_memory_limit is zero and counts as not set, found 0",
      "mcp_servers.m.transport.timeout is zero and counts as not set, found 0",
      "mcp_servers.m.summarization.size_threshold_tokens is zero and counts as not set, found 0",
    ]);
  });

  it("takes any duration of a key without effect, and warns", async () => {
    const keys = ["poll_interval", "poll_interval_jitter", "heartbeat_interval", "orphan_threshold"];
    const all = [
      ...keys,
      "orphan_detection_interval",
      "graceful_shutdown_timeout",
      "scoring_shutdown_timeout",
    ];
    const queue = all.map((key) => `${key}: 0s`).join(", ");
    const system = "system: {retention: {event_ttl: 2160h, cleanup_interval: 0}}";
    const { warnings } = await loadText(`${DEFAULTS}queue: {${queue}}\n${system}\n`);
    expect(warnings.map(({ path }) => path.split(".").at(-1))).to.have.members([
      ...all,
      "event_ttl",
      "cleanup_interval",
    ]);
    for (const { message } of warnings) expect(message).to.include("is valid but has no effect");
  });

  it("takes an entry without keys for an empty one, and what is switched off may name what there is no more", async () => {
    const config = await loadText(`agents:
  ChatAgent:
defaults: {llm_provider: test, alert_masking: {enabled: false, pattern_group: gone}}
agent_chains:
  c:
    alert_types: [a]
    stages: [{name: s, agents: [{name: ChatAgent}]}]
    chat: {enabled: false, agent: Gone, llm_provider: gone, mcp_servers: [gone], sub_agents: [Gone]}
`);
    expect(config.agents.get("ChatAgent")).to.deep.equal({});
    expect(config.warnings).to.deep.equal([]);
    expect(resolveChain(config, "a").stages[0]?.agents[0]?.name).to.equal("ChatAgent");
  });

  it("warns of a threshold of summaries below which results are shown whole", async () => {
    const summaries = (text: string) =>
      `${DEFAULTS}mcp_servers:\n  m:\n    transport: {type: stdio, command: x}\n    summarization: {${text}}\n`;
    const warned = async (text: string) =>
      (await loadText(summaries(text))).warnings.map(({ path, message }) => `${path} ${message}`);
    const why = "a result of up to 1000 characters is shown whole and is not summarized";
    for (const tokens of [100, 249]) {
      expect(await warned(`size_threshold_tokens: ${tokens}`)).to.deep.equal([
        `mcp_servers.m.summarization.size_threshold_tokens counts as 250, found ${tokens}; ${why}`,
      ]);
    }
    expect(await warned("size_threshold_tokens: 250")).to.deep.equal([]);
    expect(
      await warned("enabled: false, size_threshold_tokens: 50, summary_max_token_limit: 10"),
    ).to.have.length(1);
  });

  it("gives a sub-agent that replaces a built-in agent the description of that one unless it has its own", async () => {
    const config = await loadText(`defaults: {llm_provider: test}
agents:
  KubernetesAgent: {custom_instructions: Look.}
  GeneralWorker: {custom_instructions: Think., description: Thinks}
agent_chains:
  c:
    alert_types: [a]
    stages:
      - {name: s, agents: [{name: KubernetesAgent, sub_agents: [KubernetesAgent, GeneralWorker]}]}
`);
    const [agent] = resolveChain(config, "a").stages[0]?.agents ?? [];
    expect(agent?.sub_agents?.map(({ name, description }) => [name, description])).to.deep.equal([
      ["KubernetesAgent", "Investigates workloads and events of Kubernetes clusters"],
      ["GeneralWorker", "Thinks"],
    ]);
  });
});
