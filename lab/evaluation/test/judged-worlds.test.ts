import { join } from "node:path";
import { expect } from "chai";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { SUMMARY_CALL } from "../../../test/support/scripts.ts";
import { until } from "../../../test/support/until.ts";
import { labelledAnswers } from "../measure-judge.ts";
import { parseReply } from "../results/reply.ts";
import { EvalFixture, JUDGE_CALLS } from "./eval-fixture.ts";
import { EXAMPLES } from "./example-worlds.ts";

const LIMIT_MS = 15 * 60_000;
const CRASHLOOP = join(EXAMPLES, "holmesgpt--test_investigate--02_crashloop_backoff.world.json");
const LAG = join(EXAMPLES, "opensre--rds_postgres--006-replication-lag-cpu-redherring.world.json");

/** What agents answer in both worlds. Two of the three statements of the first hold, and one of the five of the second. */
const ANSWER =
  "Pod logging-agent is in CrashLoopBackOff, as wge is not found. There are two root causes in analytics-prod.";
const MUSTS = ["is experiencing a CrashLoopBackOff", "execute a command wge which is not found"];

const reply = (value: object) => [{ text: JSON.stringify(value) }];
const says = (text: string, quote: string, ...more: readonly object[]) => ({
  when: { contains: ["You compare one statement", text] },
  steps: [...more, ...reply({ said: "yes", quote })],
});
const JUDGE = [
  ...MUSTS.map((text) => says(text, "logging-agent is in CrashLoopBackOff")),
  says("two root causes\n\n", "two root causes"),
  // The answer does not have this quote.
  says("Statement: multiple root causes", "several causes"),
  { when: { contains: "You compare one statement" }, steps: reply({ said: "no", quote: "" }) },
  {
    when: { contains: "write down as data which causes it names" },
    steps: reply({
      status: "likely",
      summary: "A command is missing.",
      causes: [{ entity: "pod/logging-agent", kind: "configuration", code: "", statement: "wge is missing" }],
    }),
  },
  ...JUDGE_CALLS,
];

const Statement = Type.Object({
  list: Type.String(),
  statement: Type.String(),
  isSaid: Type.Boolean(),
  quote: Type.String(),
  votes: Type.Integer(),
});
const parseReport = compileParser(
  "report",
  Type.Object({
    spentUsd: Type.Number(),
    cells: Type.Array(
      Type.Object({
        world: Type.Object({ isMapped: Type.Boolean(), statements: Type.Array(Statement) }),
      }),
    ),
    sources: Type.Array(Type.Object({ commit: Type.String(), worlds: Type.Integer() })),
    prices: Type.Array(Type.Unknown()),
  }),
);
const parseAgreement = compileParser(
  "agreement",
  Type.Object({
    agreement: Type.Object({ value: Type.Number() }),
    differing: Type.Array(Type.Object({ kind: Type.String() })),
  }),
);

async function create(
  judge: readonly object[],
  { answer = ANSWER, cellBudgetUsd = 40 } = {},
): Promise<EvalFixture> {
  const fixture = await EvalFixture.create({ good: [SUMMARY_CALL, { steps: [{ text: answer }] }] });
  await fixture.writeScript("judge", judge);
  await fixture.writeSuite({
    cassettes: undefined,
    worlds: [CRASHLOOP, LAG],
    variants: { good: { llm_provider: "good" } },
    judge: "judge",
    answer: "text",
    budget_usd: 100,
    cell_budget_usd: cellBudgetUsd,
  });
  return fixture;
}

const repliesOf = async (fixture: EvalFixture) =>
  (await fixture.read("replies.jsonl"))
    .trimEnd()
    .split("\n")
    .map((line) => parseReply(JSON.parse(line)));

describe("tarsy eval in worlds with a judge", function evaluation() {
  // Each test starts several processes.
  this.timeout(LIMIT_MS);

  it("maps texts to causes, asks for each statement, and counts what that costs", async () => {
    await using fixture = await create(JUDGE);
    const { code, out, errors } = await fixture.run();
    expect(code, errors).to.equal(1);
    const steady = out.slice(out.indexOf("\nWorlds: how steady")).split("\n")[3]?.split(/ {2,}/u);
    expect(steady).to.deep.equal(["good", "50 %", "50 %", "–", "–", "2/2", "2/3", "1/5"]);
    expect(out).to.contain("mapped from text");
    const report = parseReport(JSON.parse(await fixture.read("report.json")));
    const replies = await repliesOf(fixture);
    // Two of three statements at once, one after two votes; of five one at once; two texts.
    expect(replies).to.have.length(1 + 1 + 2 + 1 + 4 * 2 + 2);
    const asked = replies.reduce((sum, { cost_usd: cost }) => sum + (cost ?? Number.NaN), 0);
    const ran = (await fixture.results()).reduce((sum, { facts }) => sum + (facts.cost_usd ?? Number.NaN), 0);
    expect(asked).to.be.greaterThan(0);
    expect(report.spentUsd).to.be.closeTo(ran + asked, 1e-9);
    const [world] = report.cells.map((cell) => cell.world);
    expect(world?.statements[0]).to.deep.equal({
      list: "must",
      statement: "Pod logging-agent is experiencing a CrashLoopBackOff",
      isSaid: true,
      quote: "logging-agent is in CrashLoopBackOff",
      votes: 1,
    });
    expect(world?.isMapped).to.equal(true);
    expect(report.sources.map(({ commit, worlds }) => [commit.length, worlds])).to.deep.equal([
      [40, 1],
      [40, 1],
    ]);
    expect(report.prices).to.deep.include({
      model: "judge (judge-model)",
      input: 100,
      output: 100,
      from: "override",
    });

    const again = await fixture.run();
    expect(again.code).to.equal(1);
    expect(again.out).to.equal(out);
    expect(await repliesOf(fixture)).to.deep.equal(replies);
  });

  it("continues after a kill with the questions that have no reply, and runs no cell again", async () => {
    const slow = JUDGE.map((call) => ({ ...call, steps: [{ delay: "400ms" }, ...call.steps] }));
    await using fixture = await create(slow);
    const first = fixture.start();
    await until(
      "two questions have a reply",
      async () => (await repliesOf(fixture).catch(() => [])).length >= 2,
      LIMIT_MS,
    );
    first.kill("SIGKILL");
    await first.ended;
    const [results, replies] = [await fixture.results(), await repliesOf(fixture)];
    expect(replies.length).to.be.lessThan(15);
    const last = await fixture.run();
    expect(last.code, last.errors).to.equal(1);
    const after = await repliesOf(fixture);
    expect(after.slice(0, replies.length)).to.deep.equal(replies);
    expect(new Set(after.map(({ key }) => key)).size).to.equal(15);
    expect(after).to.have.length(15);
    expect((await fixture.results()).slice(0, results.length)).to.deep.equal(results);
    expect(await fixture.results()).to.have.length(2);
  });

  it("asks no question that could exceed the cell's budget, and says so", async () => {
    // Each byte could be a token, of each of three tries: at 100 USD for a million, twelve dollars a question.
    const long = `${ANSWER} `.repeat(400);
    await using fixture = await create(JUDGE, { answer: long, cellBudgetUsd: 6 });
    const { code, out, errors } = await fixture.run();
    expect(code, errors).to.equal(1);
    expect(out).to.contain("raise cell_budget_usd");
    expect(await fixture.read("replies.jsonl")).to.equal("");
    expect(await fixture.results()).to.have.length(2);
  });
});

describe("tarsy eval judge", function evaluation() {
  this.timeout(LIMIT_MS);

  it("demands that a judge says of labelled answers what people have said", async () => {
    const labelled = await labelledAnswers();
    const script = (isRight: (index: number) => boolean) =>
      labelled.map(({ statement, text, said }, index) => ({
        // An answer may begin with another one.
        when: { contains: [`Statement: ${statement}\n`, `-->\n${text}\n<!--`] },
        steps: reply(said === isRight(index) ? { said: "yes", quote: text } : { said: "no", quote: "" }),
      }));
    await using fixture = await EvalFixture.create();
    await fixture.writeScript(
      "judge",
      script(() => true),
    );
    const right = await fixture.measureJudge("judge");
    expect(right.code, right.errors).to.equal(0);
    expect(right.out).to.contain("judge (judge-model) agrees with 60 of 60 labels: 100.0 %");
    await fixture.writeScript(
      "judge",
      script((index) => index > 3),
    );
    const wrong = await fixture.measureJudge("judge", "--json");
    expect(wrong.code, wrong.errors).to.equal(1);
    const found = parseAgreement(JSON.parse(wrong.out));
    expect(found.agreement.value).to.be.closeTo(56 / 60, 1e-12);
    expect(found.differing.map(({ kind }) => kind)).to.deep.equal(["right", "reworded", "wrong", "near"]);
    const none = await fixture.measureJudge("jury");
    expect(none.code).to.equal(2);
    expect(none.errors).to.contain('there is no LLM provider "jury"');
  });
});
