import { expect } from "chai";
import { NIGHTLY } from "../../../test/support/nightly.ts";
import { EvalFixture, SCRIPTS } from "./eval-fixture.ts";
import { SUMMARY_CALL } from "../../../test/support/scripts.ts";
import { contextBlock } from "../../../services/executor/prompts/context-block.ts";
import { makeCassette } from "./make-cassette.ts";

const LIMIT_MS = 15 * 60_000;

const LOG = { path: "/var/log", content: "access.log 40 GB" };
const NAMES = ["disk", "memory", "network"];

/** Of a terminal's table, the texts of the line that begins with this name. */
const row = (out: string, name: string) =>
  out
    .split("\n")
    .find((line) => line.startsWith(`${name} `))
    ?.split(/ {2,}/u);

describe("tarsy eval", function evaluation() {
  // Each test starts several processes.
  this.timeout(LIMIT_MS);

  const create = async (...options: Parameters<typeof EvalFixture.create>) => {
    const fixture = await EvalFixture.create(...options);
    for (const name of NAMES) {
      await fixture.addCassette(name, makeCassette({ alert: `${name} alert`, reads: [LOG] }));
    }
    return fixture;
  };

  it("runs every cassette with every variant, compares them, and judges again without running again", async () => {
    await using fixture = await create();
    const suite = { repetitions: 2, judge: "judge" };
    await fixture.writeSuite({
      ...suite,
      assertions: [
        { contains: "LOG" },
        { tool_called: { name: "files.read", arguments: { path: "/var/log" } } },
        { min_score: 80 },
      ],
    });
    const first = await fixture.run("--junit", `${fixture.path}/junit.xml`);
    expect(first.code, first.errors).to.equal(1);
    expect(first.out.split("\n")[0]).to.equal("suite: 12 of 12 cells");
    expect(row(first.out, "good")?.slice(0, 5)).to.deep.equal([
      "good",
      "6/6",
      "100 %",
      "61 % – 100 %",
      "88.0 ± 0.0",
    ]);
    expect(row(first.out, "bad")?.slice(0, 5)).to.deep.equal([
      "bad",
      "0/6",
      "0 %",
      "0 % – 39 %",
      "20.0 ± 0.0",
    ]);
    expect(first.out).to.contain("bad against good: better in 0, worse in 3, equal in 0 cases");
    expect(first.errors).to.match(
      /^12\/12 (?:pass|fail) {2}\w+ × \w+ #2 {2}completed, score \d+, \$0\.\d+, \d/mu,
    );

    const results = await fixture.results();
    expect(
      results.map(({ case: name, variant, repetition }) => `${name} ${variant} ${repetition}`).toSorted(),
    ).to.deep.equal(
      NAMES.flatMap((cassette) =>
        ["bad", "good"].flatMap((variant) => [1, 2].map((n) => `${cassette} ${variant} ${n}`)),
      ),
    );
    const good = results.find(({ variant }) => variant === "good")?.facts;
    expect(good).to.deep.include({
      status: "completed",
      conclusion: "As /var/log shows, the log fills the disk.",
      summary: "In short.",
      score: 88,
      judge: "Well argued.",
      llm_calls: 3,
      tool_calls: [{ server: "files", tool: "read", arguments: '{"path": "/var/log"}', error: null }],
    });
    const page = await fixture.read("report.html");
    expect(page)
      .to.contain("As /var/log shows, the log fills the disk.")
      .and.to.contain("It looked at nothing.");

    // Other assertions about the same results cost nothing.
    await fixture.writeSuite({ ...suite, assertions: [{ max_llm_calls: 3 }, { status: "completed" }] });
    const second = await fixture.run("--json");
    expect(second.code, second.errors).to.equal(0);
    expect(second.errors).to.match(/^12 of 12 cells have a result from before\n/u);
    const report: unknown = JSON.parse(second.out);
    expect(report).to.deep.include({ state: "complete", repetitions: 2, judge: "judge (judge-model)" });
    expect(await fixture.results()).to.have.length(12);

    if (!NIGHTLY) return;
    // The first variant has another script now; the other's results stay.
    await fixture.writeScript("good", SCRIPTS.bad);
    const third = await fixture.run();
    expect(third.errors).to.match(/^6 of 12 cells have a result from before\n/u);
    expect(third.out).to.contain("bad against good: better in 0, worse in 0, equal in 3 cases");
  });

  // lab/replay/test/suites/current-time.ts has it of a replay.
  if (!NIGHTLY) return;

  it("tells agents the time of the recording, because the results of its tools are of then", async () => {
    const answers = (time: string) => ({
      when: { contains: `Current time: ${time}` },
      steps: [{ text: `It is ${time}` }],
    });
    const times = ["2026-11-20T10:00:00Z", "2024-05-06T07:08:09Z"];
    await using fixture = await EvalFixture.create({ good: [SUMMARY_CALL, ...times.map(answers)] });
    const untold = makeCassette({ alert: "of a version that did not tell the time" });
    const context = contextBlock(new Date(times[1] ?? ""), { holidays: [], alertData: "" });
    const told = { sequence_number: 1, role: "user", content: `Look.\n\n${context}`, seq: null } as const;
    const cassette = makeCassette({ alert: "of a version that did" });
    const executions = cassette.executions.map((execution) => ({ ...execution, messages: [told] }));
    await fixture.addCassette("a", untold);
    await fixture.addCassette("b", { ...cassette, executions });
    await fixture.writeSuite({
      variants: { good: { llm_provider: "good" } },
      assertions: [{ contains: "It is" }],
    });
    const { code, errors } = await fixture.run();
    expect(code, errors).to.equal(0);
    const results = await fixture.results();
    expect(results.map(({ facts }) => facts?.conclusion)).to.have.members(
      times.map((time) => `It is ${time}`),
    );
  });
});
