import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { projectRoot } from "../prepare.mjs";

/** Runs `npm start` in a fresh clone, and checks that nothing was installed. */
function startFresh(...args: readonly string[]) {
  const root = mkdtempSync(join(tmpdir(), "tarsy-help-"));
  try {
    cpSync(join(projectRoot, "launcher"), join(root, "launcher"), { recursive: true });
    const start = join(root, "launcher/start.mjs");
    const { status, stdout, stderr } = spawnSync(process.execPath, [start, ...args], { encoding: "utf8" });
    expect(readdirSync(root)).to.deep.equal(["launcher"]);
    return { status, stdout, stderr };
  } finally {
    rmSync(root, { recursive: true });
  }
}

describe("npm start in a fresh clone", () => {
  for (const option of ["--help", "-h"]) {
    it(`answers ${option} and installs nothing`, () => {
      const { status, stdout } = startFresh("--reset", option);
      expect(status).to.equal(0);
      expect(stdout).to.include("npm start [-- options]").and.include("--executors N");
    });
  }

  for (const option of ["--excutors", "--executor=2"]) {
    it(`refuses ${option} and installs nothing`, () => {
      const { status, stderr } = startFresh("--reset", option);
      expect(status).to.equal(2);
      expect(stderr).to.equal(`Unknown option '${option}'; npm start -- --help lists the options.\n`);
    });
  }
});
