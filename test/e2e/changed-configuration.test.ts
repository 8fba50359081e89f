import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { stringify } from "yaml";
import { describeNightly } from "../support/nightly.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";

/** One chain whose agent has `word` in its instructions, which selects the scripted model's answer. */
function tarsyFile(word: string): object {
  return {
    defaults: { llm_provider: "scripted", alert_type: "test" },
    agents: { TestAgent: { mcp_servers: [], custom_instructions: `say ${word}` } },
    agent_chains: {
      "kubernetes-agent-chain": {
        alert_types: ["test", "kubernetes"],
        stages: [{ name: `stage ${word}`, agents: [{ name: "TestAgent" }] }],
      },
    },
  };
}

const SCRIPT = {
  calls: ["OLD", "NEW"].map((word) => ({
    when: { contains: `say ${word}` },
    steps: [{ text: `${word} was said, one two three four five`, chunk_size: 4, chunk_delay: "150ms" }],
  })),
};

describeNightly("a session whose configuration changes while it runs", () => {
  it("keeps the configuration it was submitted with, also on another executor, while the next session gets the new one", async () => {
    const config = { tarsy: tarsyFile("OLD"), script: SCRIPT };
    await using pipeline = await PipelineFixture.start({ config });
    const { configDir, system, client } = pipeline;

    const { id: old, watch } = await pipeline.submitWatched("whatever");
    using _ = watch;
    await watch.next("stream.chunk");
    await writeFile(join(configDir, "tarsy.yaml"), stringify(tarsyFile("NEW")));
    for (const name of ["executor", "api"] as const) {
      await system.stop(name, "SIGTERM");
      await system.startService(name);
    }
    const [first, second] = [old, await client.submit("whatever")];
    const sessions = [
      await client.waitFor(first, ["completed", "failed"]),
      await client.waitFor(second, ["completed", "failed"]),
    ];
    expect(
      sessions.map(({ stages, final_analysis }) => [stages[0]?.stage_name, final_analysis?.slice(0, 3)]),
    ).to.deep.equal([
      ["stage OLD", "OLD"],
      ["stage NEW", "NEW"],
    ]);
    expect(sessions[0]?.config_hash).to.be.a("string").and.not.equal(sessions[1]?.config_hash);
  });
});
