import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";

const MAIN = join(import.meta.dirname, "../main.ts");
const run = promisify(execFile);

describe("npm run bench -- notifications", () => {
  it("reports the time of a session's end by who is told", async () => {
    const { stdout } = await run(process.execPath, [
      MAIN,
      "notifications",
      "--sessions",
      "5",
      "--rounds",
      "2",
    ]);
    for (const told of ["nobody", "one destination", "three destinations"]) {
      expect(stdout).to.match(new RegExp(String.raw`^${told}(?: +[\d.,]+){4}$`, "mu"));
    }
  });
});
