import { join } from "node:path";
import { expect } from "chai";
import type { ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { inWorld } from "../plan/world-chain.ts";
import { resolvedChain } from "../../../services/executor/test/resolved-chain.ts";
import { Configurations } from "../engine/configurations.ts";
import { planSuite } from "../plan/plan-suite.ts";
import { readSuite } from "../suite/read-suite.ts";
import { EvalFixture } from "./eval-fixture.ts";
import { EXAMPLES } from "./example-worlds.ts";

const WORLD = {
  servers: [{ id: "eks", instructions: "Ask {{.HOME}}.", tools: [] }],
  runbook: "Look at {{.HOME}}.",
  vocabulary: {
    objects: ["app/cart"],
    causes: [{ code: "oom_killed", text: "memory" }],
    categories: [{ code: "network", text: "a network" }],
  },
};

function withConclusion(chain: ResolvedChain): ResolvedChain {
  const stages = chain.stages.map((stage) => ({
    ...stage,
    agents: stage.agents.map((agent) => ({ ...agent, conclusion: "rca.v1" as const })),
  }));
  return { ...chain, stages };
}

describe("inWorld", () => {
  const base = resolvedChain({ strategy: "native-thinking", servers: ["k8s"], resultTokens: 9 });
  const agentOf = ({ stages }: ResolvedChain) => stages[0]?.agents[0];

  it("gives agents the world's servers, and none what knows another world", () => {
    const [agent] = base.stages[0]?.agents ?? [];
    if (agent === undefined) throw new Error("the chain has no agent");
    const provider = { ...agent.llm_provider, native_tools: { google_search: true } };
    const searching = { ...agent, llm_provider: provider, tool_choice: { k8s: ["pods"] } };
    const chain = inWorld(
      {
        ...base,
        stages: [
          { ...base.stages[0], name: "s", parallel_type: null, success_policy: "any", agents: [searching] },
        ],
      },
      WORLD,
    );
    expect(agentOf(chain)).to.deep.include({ mcp_servers: ["eks"] });
    expect(agentOf(chain)).to.not.have.property("tool_choice");
    expect(agentOf(chain)?.llm_provider.native_tools).to.deep.equal({});
    expect(chain).to.not.have.property("mcp_server_result_tokens");
    expect(chain).to.deep.include({
      default_runbook: "Look at {{.HOME}}.",
      mcp_server_instructions: { eks: "Ask {{.HOME}}." },
    });
  });

  it("says which names a conclusion may use", () => {
    const lists = ["- oom_killed: memory", "- network: a network", "- app/cart"];
    const ofData = agentOf(inWorld(withConclusion(base), WORLD))?.custom_instructions;
    for (const text of [...lists, "`category` that of"]) expect(ofData).to.contain(text);
    const ofText = agentOf(inWorld(base, WORLD));
    for (const text of lists) expect(ofText?.custom_instructions).to.contain(text);
    expect(ofText?.custom_instructions).to.not.contain("`code`");
    expect(ofText).to.not.have.property("conclusion_names");
  });

  it("gives those names to the agent that states a conclusion, categories as codes where there are no others", () => {
    const namesOf = (vocabulary: typeof WORLD.vocabulary) =>
      agentOf(inWorld(withConclusion(base), { ...WORLD, vocabulary }))?.conclusion_names;
    expect(namesOf(WORLD.vocabulary)).to.deep.equal({
      codes: ["oom_killed"],
      categories: ["network"],
      entities: ["app/cart"],
    });
    expect(namesOf({ ...WORLD.vocabulary, causes: [] })).to.deep.include({
      codes: ["network"],
      categories: [],
    });
  });

  it("lets no text of a world insert a variable", () => {
    const chain = inWorld({ ...base, variables: ["NAME"] }, WORLD);
    expect(chain.default_runbook).to.equal('Look at {{"{{"}}.HOME}}.');
    expect(chain.mcp_server_instructions["eks"]).to.equal('Ask {{"{{"}}.HOME}}.');
  });
});

describe("planSuite of worlds", () => {
  const plan = async (variant: object, suite: object = {}) => {
    await using fixture = await EvalFixture.create();
    await fixture.writeSuite({
      cassettes: undefined,
      worlds: [join(EXAMPLES, "*02_crashloop*.world.json")],
      variants: { good: { llm_provider: "good", ...variant } },
      ...suite,
    });
    return await planSuite(
      await readSuite(join(fixture.path, "suite.yaml"), {}),
      new Configurations({}),
      "1.0.0",
    );
  };
  const failure = async (variant: object) => plan(variant).then(() => "none", String);

  it("runs a single agent that states its conclusion, unless the alert's chain is asked for", async () => {
    const [cell] = (await plan({})).cells;
    expect(cell?.chain.chain_id).to.equal("world");
    expect(cell?.chain.stages.map(({ agents }) => agents.map(({ conclusion }) => conclusion))).to.deep.equal([
      ["rca.v1"],
    ]);
    expect(cell?.world).to.deep.include({
      id: "holmesgpt/test_investigate/02_crashloop_backoff",
      vocabulary: undefined,
    });
    const [text] = (await plan({}, { answer: "text", judge: "judge" })).cells;
    expect(text?.chain.stages[0]?.agents[0]).to.not.have.property("conclusion");
    expect(await failure({ chain: "configured" })).to.contain('no chain handles alert type "alert"');
    expect(await failure({ chain: "recorded" })).to.contain("a world has no recorded chain");
  });
});
