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

const Figures = Type.Object({
  whole_ms: Type.Number({ exclusiveMinimum: 0 }),
  server_cpu_ms: Type.Number(),
  server_rss_peak_mb: Type.Number(),
  received_mb: Type.Number(),
  events: Type.Integer(),
});
const parseReport = compileParser(
  "report",
  Type.Object({
    size: Type.Object({ clients: Type.Integer(), sessions: Type.Integer(), events: Type.Integer() }),
    rounds: Type.Array(Type.Object({ plain: Figures, storm: Figures })),
  }),
);

if (NIGHTLY) {
  describe("npm run bench -- storm", () => {
    let temporary: string;
    before(async () => (temporary = await mkdtemp(join(tmpdir(), "tarsy-bench-test-"))));
    after(() => rm(temporary, { recursive: true, force: true }));

    it("reports a storm and the writing of its bytes and leaves nothing behind", async () => {
      const file = join(temporary, "storm.json");
      const size = ["--clients", "20", "--sessions", "2", "--events", "30", "--rounds", "1"];
      const { stdout } = await run(process.execPath, [MAIN, "storm", ...size, "--json", file], {
        env: { ...process.env, TMPDIR: temporary },
      });
      const { rounds } = parseReport(JSON.parse(await readFile(file, "utf8")));
      expect(rounds).to.have.length(1);
      expect(rounds[0]?.plain.events).to.equal(20 * 30);
      expect(rounds[0]?.storm.events).to.be.at.least(20 * 30);
      expect(stdout).to.include("writing alone");
      expect((await readdir(temporary)).filter((name) => name.startsWith("tarsy-"))).to.deep.equal([]);
    });
  });
}
