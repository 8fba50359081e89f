import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";

const MAIN = join(import.meta.dirname, "../main.ts");
const run = promisify(execFile);

describe("npm run bench -- door", () => {
  it("reports the CPU time of a request by mode", async () => {
    const { stdout } = await run(process.execPath, [MAIN, "door", "--requests", "50"]);
    for (const mode of ["loopback", "private", "token"]) {
      expect(stdout).to.match(new RegExp(String.raw`${mode} +[\d.]+ µs \([\d.]+ to [\d.]+\)`, "u"));
    }
  });

  it("names the allowed values of an invalid option", async () => {
    const failure: unknown = await run(process.execPath, [MAIN, "door", "--requests", "0"]).catch(
      (error: unknown) => error,
    );
    expect(failure).to.include({ code: 2 });
  });
});
