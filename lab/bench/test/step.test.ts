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
  statements_per_step: Type.Number(),
  transactions_per_step: Type.Number(),
  write_transactions_per_step: Type.Number(),
  write_ahead_log_kb: Type.Number(),
  in_postgres_ms: Type.Number(),
  time_ms: Type.Number(),
  bare_commits_per_step: Type.Number(),
});
const parseReport = compileParser(
  "report",
  Type.Object({
    benchmark: Type.Literal("step"),
    started_at: Type.String(),
    machine: Type.Object({}, { additionalProperties: true }),
    settings: Type.Object({}, { additionalProperties: true }),
    bare_commit_p50_ms: Type.Number(),
    llm_step: Cost,
    tool_step: Cost,
    rest_of_session: Cost,
    budgets: Type.Object({
      session_time_ratio: Type.Number(),
      statements_per_call: Type.Number(),
      write_ahead_log_kb_per_call: Type.Number(),
      in_postgres_ms_per_call: Type.Number(),
    }),
    past: Type.Object({
      session_time_ratio: Type.Number(),
      in_postgres_ratio: Type.Number(),
      write_ahead_log_ratio: Type.Number(),
    }),
  }),
);

if (NIGHTLY) {
  describe("npm run bench -- step", () => {
    let temporary: string;
    before(async () => (temporary = await mkdtemp(join(tmpdir(), "tarsy-bench-test-"))));
    after(() => rm(temporary, { recursive: true, force: true }));

    it("reports the costs of an LLM step and a tool step and leaves nothing behind", async () => {
      const file = join(temporary, "step.json");
      const { stdout } = await run(process.execPath, [MAIN, "step", "--rounds", "1", "--json", file], {
        env: { ...process.env, TMPDIR: temporary },
      });
      const report = parseReport(JSON.parse(await readFile(file, "utf8")));
      // Each commits at least its outcome, as one statement.
      expect(report.llm_step.write_transactions_per_step).to.be.at.least(1);
      expect(report.tool_step.write_transactions_per_step).to.be.at.least(1);
      expect(report.tool_step.statements_per_step).to.be.at.least(1);
      expect(stdout).to.include("tool step").and.to.include("Budgets of the session and of the day add");
      expect(stdout).to.include("Keeping its past costs a session");
      expect((await readdir(temporary)).filter((name) => name.startsWith("tarsy-"))).to.deep.equal([]);
    });
  });
}
