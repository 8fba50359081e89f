import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";

const MAIN = join(import.meta.dirname, "../main.ts");
const run = promisify(execFile);

describe("npm run bench -- grouping", () => {
  it("reports alerts of incidents beside alerts that are not grouped", async function () {
    this.timeout(120_000);
    const { stdout } = await run(process.execPath, [MAIN, "grouping", "--alerts", "5"]);
    for (const way of ["alone", "joined"]) {
      expect(stdout).to.match(
        new RegExp(String.raw`${way} [\d.]+ \([\d.]+ to [\d.]+\), ratio to off [\d.]+`, "u"),
      );
    }
  });
});
