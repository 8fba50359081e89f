import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { projectRoot } from "../prepare.mjs";

describe("npm start -- --help", () => {
  for (const option of ["--help", "-h"]) {
    it(`answers ${option} in a fresh clone and installs nothing`, () => {
      const root = mkdtempSync(join(tmpdir(), "tarsy-help-"));
      try {
        cpSync(join(projectRoot, "launcher"), join(root, "launcher"), { recursive: true });
        const start = join(root, "launcher/start.mjs");
        const output = execFileSync(process.execPath, [start, "--reset", option], { encoding: "utf8" });
        expect(output).to.include("npm start [-- options]").and.include("--executors N");
        expect(readdirSync(root)).to.deep.equal(["launcher"]);
      } finally {
        rmSync(root, { recursive: true });
      }
    });
  }
});
