import { execFile } from "node:child_process";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { NIGHTLY } from "../../../test/support/nightly.ts";

const MAIN = join(import.meta.dirname, "../main.ts");
const run = promisify(execFile);

const Cost = Type.Object({
  p50_ms: Type.Number(),
  p95_ms: Type.Number(),
  p50_ratio: Type.Number(),
  p95_ratio: Type.Number(),
  added_p50_ms: Type.Number(),
  added_bare_commits: Type.Number(),
});
const parseReport = compileParser(
  "report",
  Type.Object({
    benchmark: Type.Literal("tool-call"),
    started_at: Type.String(),
    machine: Type.Object({}, { additionalProperties: true }),
    settings: Type.Object({ rounds: Type.Literal(3) }),
    bare_commit_p50_ms: Type.Number(),
    sdk: Cost,
    read: Cost,
    write: Cost,
  }),
);

if (NIGHTLY) {
  describe("npm run bench -- tool-call", () => {
    let temporary: string;
    before(async () => (temporary = await mkdtemp(join(tmpdir(), "tarsy-bench-test-"))));
    after(() => rm(temporary, { recursive: true, force: true }));

    it("reports the times of a call by each way and leaves nothing behind", async () => {
      const file = join(temporary, "tool-call.json");
      const { stdout } = await run(process.execPath, [MAIN, "tool-call", "--rounds", "3", "--json", file], {
        env: { ...process.env, TMPDIR: temporary },
      });
      const report = parseReport(JSON.parse(await readFile(file, "utf8")));
      expect(report.sdk).to.include({ p50_ratio: 1, p95_ratio: 1, added_p50_ms: 0 });
      expect(stdout).to.include("a write, by the tool-runner");
      expect((await readdir(temporary)).filter((name) => name.startsWith("tarsy-"))).to.deep.equal([]);
    });
  });
}
