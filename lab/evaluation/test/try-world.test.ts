import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { tarsyHere } from "../../../scripts/test/tarsy-here.ts";
import { EvalFixture } from "./eval-fixture.ts";
import { EXAMPLES, exampleWorlds, modelOf } from "./example-worlds.ts";

const NAME = "02_crashloop_backoff";
const ENV = { PATH: process.env["PATH"] };

describe("npm run tarsy -- try", function tries() {
  // It starts a database and a gateway.
  this.timeout(10 * 60_000);

  it("lists the examples", async () => {
    const { code, out } = await tarsyHere(["try"], ENV);
    expect(code).to.equal(0);
    expect(out.trimEnd().split("\n")).to.have.length(9);
    expect(out).to.match(/^02_crashloop_backoff +CrashLoopBackoff\.$/mu);
  });

  it("names the variables to set where no model is configured, and the key that a provider lacks", async () => {
    const without = await tarsyHere(["try", NAME], ENV);
    expect(without.code).to.equal(2);
    expect(without.errors).to.contain("no model is configured: set the key of a provider, such as GOOGLE_");
    const other = ["try", NAME, "--llm-provider", "anthropic-default"];
    const lacking = await tarsyHere(other, { ...ENV, GOOGLE_API_KEY: "x" });
    expect(lacking.code).to.equal(2);
    expect(lacking.errors).to.contain("anthropic-default needs its key: set ANTHROPIC_API_KEY");
    const unknown = await tarsyHere(["try", "none"], ENV);
    expect(unknown.code).to.equal(2);
    expect(unknown.errors).to.contain("npm run tarsy -- try lists the examples");
  });

  it("shows calls, answer, quotes and the truth for a model that is right, and for one that is wrong", async () => {
    const worlds = await exampleWorlds();
    await using fixture = await EvalFixture.create({
      good: modelOf(worlds, "the truth"),
      bad: modelOf(worlds, "nothing"),
    });
    const config = join(fixture.path, "config");
    const good = await tarsyHere(["try", NAME, "--config-dir", config], ENV);
    expect(good.code, good.errors).to.equal(0);
    expect(good.errors).to.equal("");
    const titles = [
      "Alert\n",
      "good (good-model) investigates\n",
      "● ",
      "Answer\n",
      "Conclusion\n",
      "Truth\n",
    ];
    const places = titles.map((title) => good.out.indexOf(title));
    expect(places, good.out)
      .to.deep.equal(places.toSorted((a, b) => a - b))
      .and.to.satisfy((all: readonly number[]) => all.every((at) => at >= 0));
    expect(good.out).to.match(
      /confirmed: It is known\.\n1\. pod\/logging-agent: [^]*\nverified: It says so\.\n/u,
    );
    expect(good.out).to.contain(
      "object  right  it says pod/logging-agent; right is pod/logging-agent\ncause   right  it says configuration, unknown; right is command_not_found (configuration)\n",
    );

    await mkdir(join(fixture.path, "own"));
    const found = worlds.find(({ name }) => name.endsWith(NAME))?.name ?? "";
    for (const ending of ["world", "truth"]) {
      await copyFile(
        join(EXAMPLES, `${found}.${ending}.json`),
        join(fixture.path, "own", `mine.${ending}.json`),
      );
    }
    const file = join("own", "mine.world.json");
    const bad = await tarsyHere(["try", file, "--config-dir", "config", "--llm-provider", "bad"], {
      ...ENV,
      INIT_CWD: fixture.path,
    });
    expect(bad.code, bad.errors).to.equal(1);
    expect(bad.out).to.contain("object  wrong  it says node/of-nobody; right is pod/logging-agent\n");
    expect(bad.out).to.contain("cause   wrong  it says infrastructure, infrastructure; right is");
  });
});
