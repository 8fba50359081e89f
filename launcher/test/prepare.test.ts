import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { prepare } from "../prepare.mjs";
import { takeLock } from "../process/file-lock.mjs";
import { projectPaths } from "../project-paths.ts";
import { rejectionOf } from "./rejection-of.ts";

describe("prepare", () => {
  it("leaves the packages alone while TARSy runs with them", async () => {
    const root = mkdtempSync(join(tmpdir(), "tarsy-prepare-"));
    try {
      writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages: { "": {} } }));
      expect(takeLock(projectPaths(root).lock)).to.have.property("lock");
      expect(await rejectionOf(prepare(root))).to.include(
        `(process ${process.pid}): stop it, then run this again`,
      );
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
