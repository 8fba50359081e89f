import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { stringify } from "yaml";
import { tarsyHere } from "../../../scripts/test/tarsy-here.ts";
import { shortAnswers } from "../../../test/support/local-model/short-answers.ts";
import { LOCAL_MODEL, startLocalModel } from "../../../test/support/local-model/start-local-model.ts";
import { describeNightly } from "../../../test/support/nightly.ts";
import { writeCase } from "../../worlds/import/import-worlds.ts";
import type { WorldFacts } from "../results/cell-facts.ts";
import { parseCellResult } from "../results/cell-result.ts";
import { EXAMPLES } from "./example-worlds.ts";
import { madeWorlds } from "./made-worlds.ts";

const LIMIT_MS = 4 * 3_600_000;
const WORLDS = 20;

/** What is wrong with the status of a conclusion by what became of its quotes; undefined if nothing is. */
function dishonesty({ conclusion, claims, verified_claims: verified }: WorldFacts): string | undefined {
  if (conclusion === null) return claims === 0 ? undefined : "claims without a conclusion";
  const { status, body, checked } = conclusion;
  if (body === null) return status === "unchecked" ? undefined : `${status}, though none could be read`;
  const found = checked.filter(({ list, outcome }) => list === "claim" && outcome === "verified");
  if (found.length !== verified) return `${verified} claims are said to be verified and ${found.length} are`;
  if (found.length === 0) return status === "inconclusive" ? undefined : `${status} without a quote`;
  const first = new Set(body.claims.filter(({ cause }) => cause === 1).map(({ id }) => id));
  const ofFirst = checked.filter(({ claim_id, list }) => list === "claim" && first.has(claim_id));
  const isShown = ofFirst.some(
    ({ outcome, source }) => outcome === "verified" && !(source ?? "").startsWith("alert"),
  );
  const isRefuted = ofFirst.some(({ outcome }) => outcome !== "verified" && outcome !== "error_result");
  return status === "confirmed" && (!isShown || isRefuted) ? "confirmed beyond its quotes" : undefined;
}

// Takes an hour, and downloads a model. Nine worlds are those of the project, eleven are made here.
describeNightly("twenty worlds by a real model on this machine", function worlds() {
  this.timeout(LIMIT_MS);

  it("all end, with a status that their quotes support, and the report names the model", async () => {
    await using stack = new AsyncDisposableStack();
    const directory = await mkdtemp(join(tmpdir(), "tarsy-local-worlds-"));
    stack.defer(() => rm(directory, { recursive: true, force: true }));
    const model = stack.use(await startLocalModel());
    const config = stack.use(await shortAnswers(160));
    for (const made of madeWorlds()) await writeCase(made, join(directory, made.world.id), true);
    const suite = join(directory, "suite.yaml");
    await writeFile(
      suite,
      stringify({
        config_dir: config.path,
        worlds: [EXAMPLES, join(directory, "made")],
        variants: { local: { max_iterations: 3 } },
        timeout: "1h",
      }),
    );

    const env = { PATH: process.env["PATH"], LOCAL_MODEL, LOCAL_MODEL_URL: model.url };
    const { out, errors } = await tarsyHere(["eval", suite], env);
    const results = join(directory, "suite.results");
    expect(out.split("\n")[0], errors).to.equal(`suite: ${WORLDS} of ${WORLDS} cells`);
    const cells = (await readFile(join(results, "results.jsonl"), "utf8"))
      .trimEnd()
      .split("\n")
      .map((line) => parseCellResult(JSON.parse(line)));
    process.stdout.write(
      cells
        .map(({ case: name, facts }) => {
          const { conclusion, claims = 0, verified_claims: verified = 0 } = facts.world ?? {};
          const stated = conclusion?.status ?? "none";
          return `${name}: ${facts.status}, ${facts.llm_calls} calls, ${facts.tool_calls.length} of tools, conclusion ${stated}, ${verified} of ${claims}, ${Math.round(facts.duration_ms / 1_000)} s\n`;
        })
        .join(""),
    );
    expect(cells).to.have.length(WORLDS);
    for (const { case: name, facts } of cells) {
      expect(["completed", "failed"], `${name}: ${facts.error ?? ""}`).to.include(facts.status);
      if (facts.status === "failed") expect(facts.error, name).not.to.be.oneOf([null, ""]);
      const { world } = facts;
      expect(world === undefined ? "no facts of the world" : dishonesty(world), name).to.equal(undefined);
    }
    const report = await readFile(join(results, "report.json"), "utf8");
    expect(report).to.contain('"state": "complete"').and.to.contain(`local (${LOCAL_MODEL})`);
    expect(await readFile(join(results, "report.html"), "utf8")).to.contain(LOCAL_MODEL);
  });
});
