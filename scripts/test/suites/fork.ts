import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { PipelineFixture } from "../../../test/support/pipeline-fixture.ts";
import { tarsyHere } from "../tarsy-here.ts";

/** What the model says to a changed instruction. */
export const FORK_CALLS = [{ when: { contains: "Say LESS" }, steps: [{ text: "full" }] }];

const parseCompared = compileParser(
  "comparison",
  Type.Object(
    {
      first_divergence: Type.Object(
        { part: Type.String(), pointer: Type.String() },
        { additionalProperties: true },
      ),
    },
    { additionalProperties: true },
  ),
);

export function fork(opened: () => PipelineFixture): void {
  describe("npm run tarsy -- fork, compare and list", () => {
    const resources = new AsyncDisposableStack();
    let pipeline: PipelineFixture;
    let directory: string;

    before(async () => {
      directory = resources.adopt(await mkdtemp(join(tmpdir(), "tarsy-fork-")), async (path) =>
        rm(path, { recursive: true }),
      );
      pipeline = opened();
    });
    after(() => resources.disposeAsync());

    const run = async (...args: readonly string[]) => {
      const { api, ws } = pipeline.system;
      return tarsyHere(args, { TARSY_API_URL: api, TARSY_WS_URL: ws });
    };

    it("forks with an instruction from a file, shows the fork, and where both differ", async () => {
      const id = await pipeline.client.submit("disk full");
      await pipeline.client.waitFor(id, ["completed"]);
      const file = join(directory, "new.txt");
      await writeFile(file, "Say LESS.");
      const watched = await run("fork", id, "--at-seq", "0", "--instructions", `@${file}`, "--watch");
      expect(watched).to.include({ code: 0, errors: "" });
      const forked = /^Session (\S+)$/mu.exec(watched.out)?.[1] ?? "";
      expect((await pipeline.client.session(forked)).final_analysis).to.equal("full");
      const { code, out } = await run("compare", id, forked);
      expect(code).to.equal(0);
      expect(out).to.match(
        /^First different step: TestAgent, step 1: (?:the system prompt|message \d to the model) differs\.$/mu,
      );
      expect(out).to.contain("Final analysis of the second\nfull\n");
      const json = parseCompared(JSON.parse((await run("compare", id, forked, "--json")).out));
      expect(json.first_divergence).to.include({ part: "request" });
    });

    it("lists sessions by the words of the page, and says when there are none", async () => {
      const id = await pipeline.client.submit("disk full");
      await pipeline.client.waitFor(id, ["completed"]);
      expect((await run("list", "--status", "finished")).out)
        .to.include(id)
        .and.include("times in UTC");
      const none = await run("list", "--status", "queued", "--search", "no such alert");
      expect(none).to.deep.equal({ code: 0, out: "no sessions\n", errors: "" });
      expect((await run("notifications")).out).to.equal("no notifications\n");
    });

    it("prints the id of a fork, and the same one for the same key", async () => {
      const id = await pipeline.client.submit("disk full");
      await pipeline.client.waitFor(id, ["completed"]);
      const first = await run("fork", id, "--tools", "live", "--key", "once");
      expect(first).to.deep.include({ code: 0, errors: "" });
      expect(await run("fork", id, "--tools", "live", "--key", "once")).to.deep.equal(first);
      await pipeline.client.waitFor(first.out.trim(), ["completed"]);
      expect((await run("compare", id, first.out.trim())).out).to.contain(
        "The sessions are the same, step by step.",
      );
    });

    it("says what is wrong with its arguments", async () => {
      const [id, other] = [crypto.randomUUID(), crypto.randomUUID()];
      expect(await run("fork", id, "--at-seq", "x")).to.include({ code: 2 });
      expect((await run("fork", id, "--tool-result", "x=y")).errors).to.contain(
        "it must be the id of a call",
      );
      expect((await run("fork", id, "--instructions", "@none")).errors).to.contain("cannot be read");
      expect(await run("compare", id)).to.include({ code: 2 });
      expect(await run("compare", id, other)).to.include({ code: 4 });
    });
  });
}
