import { expect } from "chai";
import { resolveChat } from "#shared/agent-config/resolve-chat.ts";
import { loadText } from "./config-fixture.ts";

const PROVIDERS = 'llm_providers: {one: {type: openai, model: m1, base_url: "http://127.0.0.1:1/v1"}}\n';

interface Written {
  readonly defaults?: string;
  readonly agents?: string;
  readonly chat?: string;
  /** The agents of the only stage. */
  readonly stage: string;
}

async function strategyOf({ defaults = "", agents = "", chat = "{}", stage }: Written) {
  const config = await loadText(
    `
defaults: {llm_provider: one, alert_type: X, ${defaults}}
agents:
  Native: {iteration_strategy: native-thinking}
  Single: {iteration_strategy: single-call}
  ${agents}
agent_chains:
  plain: {alert_types: [X], chat: ${chat}, stages: [{name: look, agents: [${stage}]}]}
`,
    PROVIDERS,
    { KUBECONFIG: "/dev/null" },
  );
  const chain = resolveChat(config, { chainId: "plain", alertType: "X" }, false);
  return chain?.stages[0]?.agents[0]?.iteration_strategy;
}

describe("the strategy of a chat", () => {
  it("is that of the first investigator that calls tools, for the built-in agent", async () => {
    expect(await strategyOf({ stage: "{name: Native}" })).to.equal("native-thinking");
    expect(await strategyOf({ stage: "{name: KubernetesAgent}" })).to.equal("react");
    expect(await strategyOf({ stage: "{name: Single}, {name: KubernetesAgent}, {name: Native}" })).to.equal(
      "react",
    );
    expect(
      await strategyOf({ stage: "{name: KubernetesAgent, iteration_strategy: native-thinking}" }),
    ).to.equal("native-thinking");
  });

  it("is native-thinking if no investigator calls tools", async () => {
    expect(await strategyOf({ stage: "{name: Single}" })).to.equal("native-thinking");
  });

  it("is what a file says: the chat, its agent, the defaults, in this order", async () => {
    const written = { defaults: "iteration_strategy: react", stage: "{name: Native}" };
    expect(await strategyOf(written)).to.equal("react");
    const ofAgent = { ...written, agents: "ChatAgent: {iteration_strategy: native-thinking}" };
    expect(await strategyOf(ofAgent)).to.equal("native-thinking");
    expect(await strategyOf({ ...ofAgent, chat: "{iteration_strategy: react}" })).to.equal("react");
  });

  it("is the other agent's own, if the chat names one", async () => {
    expect(await strategyOf({ chat: "{agent: Native}", stage: "{name: KubernetesAgent}" })).to.equal(
      "native-thinking",
    );
    expect(await strategyOf({ chat: "{agent: Single}", stage: "{name: KubernetesAgent}" })).to.equal(
      "native-thinking",
    );
  });
});
