import { expect } from "chai";
import { COST_SUMS } from "#shared/database/cost-sums.ts";
import { SESSION_COUNTERS, SESSION_FLAGS } from "#shared/database/session-counters.ts";
import { installWritePoints, type WritePoints } from "./write-points.ts";
import { RunFixture } from "./run-fixture.ts";

const AGENTS = ["Ann", "Ben"] as const;
const CHAIN = { strategy: "react", servers: ["k8s"], stages: [AGENTS, ["Cem"]], maxParallel: 2 } as const;
const SCRIPT = [
  { when: { contains: "Bring the results" }, steps: [{ text: "all agree" }] },
  { when: { call: 1 }, steps: [{ text: "Thought: look\nAction: k8s.pods\nAction Input: n: 1" }] },
  { steps: [{ text: "Thought: enough\nFinal Answer: it was the memory" }] },
];
/** Two stages and a synthesis; each of three agents has two calls, a listing of its server and a tool call. */
const COUNTERS = {
  llm_interaction_count: 3 * 2 + 2,
  mcp_interaction_count: 3 * 2,
  provider_fallback_count: 0,
  total_stages: 3,
  completed_stages: 3,
  failed_stages: 0,
  has_parallel_stages: true,
  has_action_stages: false,
  has_summary_stage: true,
};

describe("the counters of a session", () => {
  let fixture: RunFixture;
  let loseLeaseAtWrite: WritePoints["kill"];

  before(async () => {
    // Its disposal fails if a counter differs from a recount, after any of the tests that use it.
    fixture = await RunFixture.startWithTools({ others: ["second"] });
    ({ kill: loseLeaseAtWrite } = await installWritePoints(fixture.executor));
  });
  after(() => fixture[Symbol.asyncDispose]());

  // Sums of costs: call-costs.test.ts
  const counted = SESSION_COUNTERS.filter((name) => !COST_SUMS.some((sum) => sum === name));
  const counters = async (id: string) =>
    fixture.executor.row("session_runtime", [...counted, ...SESSION_FLAGS].join(", "), id);

  it("count stages, syntheses and every call", async () => {
    await fixture.play(...SCRIPT);
    const id = await fixture.executor.insert(CHAIN);
    expect(await fixture.run(id)).to.equal("completed");
    expect(await counters(id)).to.deep.equal(COUNTERS);
  });

  it("are the same after executors have died", async () => {
    await fixture.play(...SCRIPT);
    const id = await fixture.executor.insert(CHAIN);
    let deaths = 0;
    for (const write of [3, 5, 4, 2, 1_000_000]) {
      await loseLeaseAtWrite(id, write);
      if ((await fixture.run(id)) === "lost") deaths += 1;
    }
    expect(deaths).to.be.above(2);
    expect(await counters(id)).to.deep.equal(COUNTERS);
  });

  it("count the calls that failed, and the providers that took over", async () => {
    const refused = { steps: [{ error: { code: "credentials", message: "no", retryable: false } }] };
    await fixture.playExactly(refused);
    await fixture.playOn("second", { steps: [{ text: "found it" }] });
    const id = await fixture.executor.insert({ fallbacks: ["second"] });
    expect(await fixture.run(id)).to.equal("completed");
    expect(await counters(id)).to.deep.equal({
      ...COUNTERS,
      llm_interaction_count: 4,
      mcp_interaction_count: 0,
      provider_fallback_count: 2,
      total_stages: 1,
      completed_stages: 1,
      has_parallel_stages: false,
    });
  });

  it("count a stage that fails, and know when the summary is due", async () => {
    const refused = { steps: [{ error: { code: "invalid_request", message: "no", retryable: false } }] };
    await fixture.playExactly(refused);
    const failed = await fixture.executor.insert({ stages: [AGENTS, AGENTS] });
    expect(await fixture.run(failed)).to.equal("failed");
    expect(await counters(failed)).to.include({
      total_stages: 1,
      completed_stages: 0,
      failed_stages: 1,
      has_summary_stage: false,
    });

    await fixture.playExactly({ when: { contains: "Your name is" }, steps: [{ text: "found" }] }, refused);
    const unsummarized = await fixture.executor.insert();
    expect(await fixture.run(unsummarized)).to.equal("completed");
    expect(await counters(unsummarized)).to.include({
      total_stages: 1,
      completed_stages: 1,
      has_summary_stage: true,
    });
  });
});
