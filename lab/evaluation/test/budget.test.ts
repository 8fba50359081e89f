import { expect } from "chai";
import { NIGHTLY } from "../../../test/support/nightly.ts";
import { EvalFixture } from "./eval-fixture.ts";
import { makeCassette } from "./make-cassette.ts";

const LIMIT_MS = 15 * 60_000;

const LOG = { path: "/var/log", content: "access.log 40 GB" };

const create = async (...options: Parameters<typeof EvalFixture.create>) => {
  const fixture = await EvalFixture.create(...options);
  for (const name of ["disk", "memory", "network"]) {
    await fixture.addCassette(name, makeCassette({ alert: `${name} alert`, reads: [LOG] }));
  }
  return fixture;
};

describe("tarsy eval with a budget", function evaluation() {
  // Each test starts several processes.
  this.timeout(LIMIT_MS);

  it("starts no cell whose worst case exceeds the budget, and says so", async () => {
    await using fixture = await create();
    // A cell of the good model costs about 0.18 USD, but each of its calls could cost a dollar.
    await fixture.writeSuite({
      budget_usd: 5.5,
      cell_budget_usd: 5,
      variants: { good: { llm_provider: "good" } },
      repetitions: 3,
    });
    const { code, out, errors } = await fixture.run();
    expect(code, errors).to.equal(3);
    expect(errors).to.contain("the budget has ended, so cells are missing");
    const results = await fixture.results();
    const spent = results.reduce((sum, { facts }) => sum + (facts.cost_usd ?? Number.NaN), 0);
    expect(results.length).to.be.greaterThan(0).and.to.be.lessThan(9);
    expect(spent).to.be.lessThan(5.5).and.to.be.greaterThan(0.4);
    expect(out.split("\n")[0]).to.equal(`suite: ${results.length} of 9 cells`);
    expect(await fixture.read("report.html")).to.contain("The budget has ended");
    if (!NIGHTLY) return;
    // What was spent before counts.
    expect((await fixture.run()).code).to.equal(3);
    expect(await fixture.results()).to.have.length(results.length);
  });

  if (!NIGHTLY) return;

  it("runs a cell again that its budget has ended, once it may cost more", async () => {
    await using fixture = await EvalFixture.create();
    await fixture.addCassette("disk", makeCassette({ alert: "disk alert", reads: [LOG] }));
    const suite = { budget_usd: 20, variants: { good: { llm_provider: "good" } } };
    await fixture.writeSuite({ ...suite, cell_budget_usd: 0.5 });
    const small = await fixture.run();
    expect(small.code, small.errors).to.equal(1);
    expect(await fixture.read("report.html")).to.contain("ended by its budget of $0.5000");
    await fixture.writeSuite({ ...suite, cell_budget_usd: 10 });
    const large = await fixture.run();
    expect(large.code, large.errors).to.equal(0);
    expect((await fixture.results()).map(({ facts }) => facts.limited_by_usd)).to.deep.equal([0.5, null]);
  });
});
