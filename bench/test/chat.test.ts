import { execFile } from "node:child_process";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { NIGHTLY } from "../../test/support/nightly.ts";

const MAIN = join(import.meta.dirname, "../main.ts");
const run = promisify(execFile);

const Figures = Type.Object({
  p50_ms: Type.Number({ exclusiveMinimum: 0 }),
  p95_ms: Type.Number({ exclusiveMinimum: 0 }),
  max_ms: Type.Number({ exclusiveMinimum: 0 }),
});
const parseReport = compileParser(
  "report",
  Type.Object({
    size: Type.Object({ chats: Type.Integer(), alerts: Type.Integer() }),
    rounds: Type.Array(
      Type.Object({ idle: Figures, backlog: Figures, waiting: Type.Integer({ minimum: 1 }) }),
    ),
  }),
);

// A test of the service itself, test/e2e/chat.test.ts, runs daily.
if (NIGHTLY) {
  describe("npm run bench -- chat", () => {
    let temporary: string;
    before(async () => (temporary = await mkdtemp(join(tmpdir(), "tarsy-bench-test-"))));
    after(() => rm(temporary, { recursive: true, force: true }));

    it("reports answers with and without alerts that wait, and leaves nothing behind", async () => {
      const file = join(temporary, "chat.json");
      const size = ["--chats", "2", "--alerts", "60", "--rounds", "1"];
      const { stdout } = await run(process.execPath, [MAIN, "chat", ...size, "--json", file], {
        env: { ...process.env, TMPDIR: temporary },
      });
      const { rounds } = parseReport(JSON.parse(await readFile(file, "utf8")));
      expect(rounds).to.have.length(1);
      expect(stdout).to.include("alerts wait");
      expect((await readdir(temporary)).filter((name) => name.startsWith("tarsy-"))).to.deep.equal([]);
    });
  });
}
