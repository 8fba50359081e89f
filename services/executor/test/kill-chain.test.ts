import { expect } from "chai";
import { CHAIN_ROWS } from "../../../test/support/chain-rows.ts";
import { repetitions, testSeed } from "../../../test/support/nightly.ts";
import { seededRandom } from "../../../test/support/seeded-random.ts";
import { RunFixture } from "./run-fixture.ts";
import { answerTurn, callStep } from "./scripted-turns.ts";
import { installLeaseLoss } from "./lease-loss.ts";
import { ToolRunnerFixture } from "./tool-runner-fixture.ts";

const RUNS = repetitions({ daily: 9, nightly: 50 });
const AGENTS = ["Ann", "Ben", "Cem"] as const;
const CHAIN = {
  strategy: "react",
  servers: ["k8s"],
  stages: [AGENTS, AGENTS, AGENTS],
  maxParallel: 3,
} as const;
const TOOL_CALLS = CHAIN.stages.length * AGENTS.length;

/** Every agent calls one tool and answers; the synthesis gives a fixed answer. */
const SCRIPT = [
  { when: { contains: "Bring the results" }, steps: [{ thinking: "weighing" }, { text: "all agree" }] },
  {
    when: { call: 1 },
    steps: [{ ...callStep("react", "k8s.pods", { n: 1 }), chunk_size: 12 }],
  },
  answerTurn("react"),
];

describe("a chain of three stages with three agents whose executors die", () => {
  const resources = new AsyncDisposableStack();
  let fixture: RunFixture;
  let tools: ToolRunnerFixture;
  let loseLeaseAtWrite: Awaited<ReturnType<typeof installLeaseLoss>>;

  before(async () => {
    fixture = resources.use(await RunFixture.start());
    tools = resources.use(await ToolRunnerFixture.start(fixture.executor.servers));
    loseLeaseAtWrite = await installLeaseLoss(fixture.executor);
    await fixture.play(...SCRIPT);
  });
  after(() => resources.disposeAsync());

  it(`ends with the same rows in ${RUNS} runs with random kills`, async function () {
    this.timeout(300_000);
    const undisturbed = await fixture.executor.insert(CHAIN);
    const before = await tools.calls();
    await loseLeaseAtWrite(undisturbed, 1_000_000);
    expect(await fixture.run(undisturbed)).to.equal("completed");
    const [expected] = await fixture.executor.query(CHAIN_ROWS, [undisturbed]);
    expect(expected).to.include({ contiguous: true, final_analysis: "all agree" });
    expect(await tools.calls()).to.equal(before + TOOL_CALLS);
    const [left] = await fixture.executor.query(
      "SELECT (1000000 - writes_left)::int AS writes FROM lease_loss WHERE session_id = $1",
      [undisturbed],
    );
    expect(left).to.have.property("writes").that.is.greaterThan(60);

    const random = seededRandom(testSeed());
    for (let run = 1; run <= RUNS; run += 1) {
      const id = await fixture.executor.insert(CHAIN);
      const kills: number[] = [];
      const called = await tools.calls();
      for (let end: unknown = "lost"; end === "lost";) {
        // A run has about 120 writes: one or more kills, of which the last may come after the end.
        kills.push(1 + Math.floor(random() * 100));
        await loseLeaseAtWrite(id, kills.at(-1) ?? 1);
        end = await fixture.run(id);
        expect(end, `run ${run}, killed after writes ${kills.join(", ")}`).to.be.oneOf(["lost", "completed"]);
      }
      const [found] = await fixture.executor.query(CHAIN_ROWS, [id]);
      expect(found, `run ${run}, killed after writes ${kills.join(", ")}`).to.deep.equal(expected);
      expect(await tools.calls()).to.equal(called + TOOL_CALLS);
    }
  });
});
