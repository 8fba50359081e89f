import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { until } from "../../../test/support/until.ts";
import { EvalFixture } from "./eval-fixture.ts";
import { EXAMPLES, exampleWorlds, modelOf } from "./example-worlds.ts";

const LIMIT_MS = 15 * 60_000;

/** Of a terminal's table, the texts of the first line behind a title that begins with this name. */
const row = (out: string, title: string, name: string) =>
  out
    .slice(out.indexOf(`\n${title}\n`))
    .split("\n")
    .find((line) => line.startsWith(`${name} `))
    ?.trim()
    .split(/ {2,}/u);

describe("tarsy eval in worlds", function evaluation() {
  // Each test starts several processes.
  this.timeout(LIMIT_MS);

  it("finds a model that knows the truth right in all worlds, and a confident liar in none", async () => {
    const worlds = await exampleWorlds();
    await using fixture = await EvalFixture.create({
      good: modelOf(worlds, "the truth"),
      bad: modelOf(worlds, "nothing"),
    });
    await fixture.writeSuite({ cassettes: undefined, worlds: [EXAMPLES], parallel: 4 });
    const { code, out, errors } = await fixture.run();
    expect(code, errors).to.equal(1);
    expect(out.split("\n")[0]).to.equal("suite: 18 of 18 cells");
    expect(out).to.contain("No figures of a model: a script has answered good, bad.");
    expect(row(out, "Worlds", "good")).to.deep.equal([
      "good",
      "100 %",
      "70 % – 100 %",
      "100 %",
      "100 %",
      "0 %",
      "0/9",
      "0",
      "0/9",
      "0/9",
      "6",
    ]);
    expect(row(out, "Worlds: how steady and how sure, and what the judge has found", "good")).to.deep.equal([
      "good",
      "100 %",
      "100 %",
      "–",
      "10 %",
      "0/9",
      "–",
      "–",
    ]);
    expect(row(out, "Worlds", "bad")?.slice(0, 7)).to.deep.equal([
      "bad",
      "0 %",
      "0 % – 30 %",
      "0 %",
      "0 %",
      "100 %",
      "0/9",
    ]);
    expect(out).to.contain(
      "bad against good in worlds: right in 0 where the other is not, wrong in 9 where it is not (McNemar p = 0.004). Lost: holmesgpt--test_ask_holmes--21_job_fail",
    );
    expect(out).to.contain(
      "02_crashloop_backoff × bad #1: names the fault first: it says node/of-nobody infrastructure; right is pod/logging-agent command_not_found",
    );
    const found = (await fixture.results()).find(({ case: name }) => name.endsWith("02_crashloop_backoff"));
    expect(found?.facts.world).to.deep.include({ claims: 1, verified_claims: 1, calls: 1, misses: {} });
    const page = await fixture.read("report.html");
    expect(page).to.contain("Worlds by what they have in common").and.to.contain("category healthy");
    expect(JSON.parse(await fixture.read("report.json")))
      .to.have.property("suiteHash")
      .with.length(64);
  });

  it("continues after a kill with the cells that are missing, and runs none twice", async () => {
    const worlds = (await exampleWorlds()).slice(3, 6);
    const slow = modelOf(worlds, "the truth");
    await using fixture = await EvalFixture.create({ good: slow, bad: slow });
    const paths = worlds.map(({ name }) => join(EXAMPLES, `${name}.world.json`));
    await fixture.writeSuite({ cassettes: undefined, worlds: paths, parallel: 1 });
    const first = fixture.start();
    await until(
      "two cells are stored",
      async () => (await fixture.results().catch(() => [])).length >= 2,
      LIMIT_MS,
    );
    first.kill("SIGKILL");
    await first.ended;
    const before = await fixture.results();
    const last = await fixture.run();
    expect(last.code, last.errors).to.equal(0);
    const after = await fixture.results();
    expect(after.slice(0, before.length)).to.deep.equal(before);
    expect(new Set(after.map(({ key }) => key)).size).to.equal(6);
    expect(after).to.have.length(6);
  });

  it("grades results of before by the truth of now, and refuses that of another world", async () => {
    const worlds = (await exampleWorlds()).slice(3, 4);
    const name = worlds[0]?.name ?? "";
    await using fixture = await EvalFixture.create({ good: modelOf(worlds, "the truth") });
    await mkdir(join(fixture.path, "worlds"));
    for (const ending of ["world", "truth"]) {
      await copyFile(
        join(EXAMPLES, `${name}.${ending}.json`),
        join(fixture.path, "worlds", `${name}.${ending}.json`),
      );
    }
    await fixture.writeSuite({
      cassettes: undefined,
      worlds: ["worlds"],
      variants: { good: { llm_provider: "good" } },
    });
    expect((await fixture.run()).code).to.equal(0);

    const file = join(fixture.path, "worlds", `${name}.truth.json`);
    const truth = await readFile(file, "utf8");
    await writeFile(file, truth.replace("pod/logging-agent", "pod/another"));
    const second = await fixture.run();
    expect(second.code, second.errors).to.equal(1);
    expect(second.errors).to.contain("1 of 1 cells have a result from before");

    await writeFile(file, truth.replace(/"world_hash": "./u, '"world_hash": "_'));
    const third = await fixture.run();
    expect(third.code).to.equal(2);
    expect(third.errors).to.contain("truth");

    await rm(file);
    const fourth = await fixture.run();
    expect(fourth.code).to.equal(2);
    expect(fourth.errors).to.contain("which says what is right");
  });
});
