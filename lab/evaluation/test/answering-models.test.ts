import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { stringify } from "yaml";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { chatModel } from "../../../test/support/chat-model.ts";
import { openSseServer } from "../../../test/support/sse-server.ts";
import { EvalFixture } from "./eval-fixture.ts";
import { EXAMPLES } from "./example-worlds.ts";

const LIMIT_MS = 10 * 60_000;

const parseReport = compileParser(
  "report",
  Type.Object({
    variants: Type.Array(
      Type.Object({
        answered: Type.Array(Type.Object({ asked: Type.String(), by: Type.Array(Type.String()) })),
      }),
    ),
  }),
);

describe("the models of an evaluation", function evaluation() {
  // Starts several processes.
  this.timeout(LIMIT_MS);

  it("are named as their providers say who has answered, with a warning if that has changed", async () => {
    let calls = 0;
    await using server = await openSseServer(
      chatModel(
        ({ text }) => (text.includes("You compare") ? '{"said":"no","quote":""}' : "It is the disk."),
        (model) => {
          if (model !== "good-model") return `${model}-2026-08-01`;
          calls += 1;
          return calls === 1 ? "good-model-2026-08-01" : "good-model-2026-11-01";
        },
      ),
    );
    await using fixture = await EvalFixture.create();
    const provider = (name: string) => ({
      type: "openai",
      model: `${name}-model`,
      base_url: `${server.url}/v1`,
    });
    await writeFile(
      join(fixture.path, "config/llm-providers.yaml"),
      stringify({
        llm_providers: { good: provider("good"), bad: provider("bad"), judge: provider("judge") },
      }),
    );
    await fixture.writeSuite({
      cassettes: undefined,
      worlds: [join(EXAMPLES, "holmesgpt--test_investigate--02_crashloop_backoff.world.json")],
      variants: { good: { llm_provider: "good" } },
      judge: "judge",
      answer: "text",
      repetitions: 2,
      parallel: 1,
    });
    const { code, out, errors } = await fixture.run();
    expect(code, errors).to.equal(1);
    expect(out).to.contain(
      "No figures of one model: in good, good-model answered as good-model-2026-08-01 and good-model-2026-11-01.",
    );
    const { variants } = parseReport(JSON.parse(await fixture.read("report.json")));
    const judge = (asked: string) => ({ asked, by: ["judge-model-2026-08-01"] });
    expect(
      variants.map(({ answered }) => answered.toSorted((a, b) => (a.asked < b.asked ? -1 : 1))),
    ).to.deep.equal([
      [
        { asked: "good-model", by: ["good-model-2026-08-01", "good-model-2026-11-01"] },
        judge("judge (judge-model)"),
        judge("judge-model"),
      ],
    ]);
    expect(await fixture.read("report.html")).to.contain("judge-model answered as judge-model-2026-08-01");
  });
});
