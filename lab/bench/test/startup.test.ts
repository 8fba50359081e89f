import { execFile } from "node:child_process";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { NIGHTLY } from "../../../test/support/nightly.ts";
import { SERVICES } from "../../../test/support/spawn-service.ts";

const MAIN = join(import.meta.dirname, "../main.ts");
const run = promisify(execFile);

const Figures = Type.Object({
  cpu_until_ready_ms: Type.Number(),
  cpu_settled_ms: Type.Number(),
  wall_until_ready_ms: Type.Number(),
  pss_mb: Type.Number(),
  anon_mb: Type.Number(),
});
const parseReport = compileParser(
  "report",
  Type.Object({
    benchmark: Type.Literal("startup"),
    started_at: Type.String(),
    machine: Type.Object({}, { additionalProperties: true }),
    settings: Type.Object({ rounds: Type.Integer() }),
    arms: Type.Array(
      Type.Object({ arm: Type.String(), total: Figures, services: Type.Record(Type.String(), Figures) }),
    ),
  }),
);

if (NIGHTLY) {
  describe("npm run bench -- startup", function () {
    this.timeout(600_000);
    let temporary: string;
    before(async () => (temporary = await mkdtemp(join(tmpdir(), "tarsy-bench-test-"))));
    after(() => rm(temporary, { recursive: true, force: true }));

    it("reports CPU time and memory of each service and leaves nothing behind", async () => {
      const file = join(temporary, "startup.json");
      const { stdout } = await run(process.execPath, [MAIN, "startup", "--rounds", "1", "--json", file], {
        env: { ...process.env, TMPDIR: temporary },
      });
      const { arms } = parseReport(JSON.parse(await readFile(file, "utf8")));
      expect(arms.map(({ arm }) => arm)).to.deep.equal(["this"]);
      expect(Object.keys(arms[0]?.services ?? {})).to.have.members(SERVICES);
      for (const figures of Object.values(arms[0]?.services ?? {})) {
        expect(figures.cpu_until_ready_ms).to.be.greaterThan(0);
        expect(figures.cpu_settled_ms).to.be.at.least(figures.cpu_until_ready_ms);
        expect(figures.pss_mb).to.be.at.least(figures.anon_mb);
      }
      expect(stdout).to.include("total");
      expect((await readdir(temporary)).filter((name) => name.startsWith("tarsy-"))).to.deep.equal([]);
    });
  });
}
