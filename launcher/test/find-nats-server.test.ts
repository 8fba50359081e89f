import { expect } from "chai";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findNatsServer } from "../nats/find-nats-server.ts";
import { projectRoot } from "../prepare.mjs";
import { projectPaths } from "../project-paths.ts";
import { rejectionOf } from "./rejection-of.ts";

describe("findNatsServer", () => {
  const folder = mkdtempSync(join(tmpdir(), "tarsy-find-nats-"));
  const binary = join(folder, "nats-server");
  const { tools } = projectPaths(projectRoot);
  let lines: string[] = [];
  const find = async (env: NodeJS.ProcessEnv, toolsDir = tools): Promise<string> =>
    findNatsServer({ toolsDir, env, progress: (line) => lines.push(line) });
  const install = (version: string): void => {
    writeFileSync(binary, `#!/bin/sh\necho nats-server: v${version}\n`);
    chmodSync(binary, 0o755);
  };
  beforeEach(() => {
    lines = [];
  });
  after(() => rmSync(folder, { recursive: true }));

  it("takes the one on PATH if it is new enough", async () => {
    for (const version of ["2.10.27", "2.15.1", "3.0.0"]) {
      install(version);
      expect(await find({ PATH: folder })).to.equal(binary);
    }
  });

  it("skips one that is too old and reports it", async () => {
    install("2.9.10");
    expect(await find({ PATH: folder })).to.equal(join(tools, "nats-server"));
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include(binary).and.include("2.9.10");
  });

  it("refuses a NATS_SERVER_BIN that is too old or missing", async () => {
    install("2.10.26");
    expect(await rejectionOf(find({ NATS_SERVER_BIN: binary })))
      .to.include("NATS_SERVER_BIN")
      .and.include("2.10.27");
    expect(await rejectionOf(find({ NATS_SERVER_BIN: "/nowhere" })))
      .to.include("/nowhere")
      .and.not.include("\n");
  });

  it("explains how to get one if the download fails", async () => {
    const unwritable = join(binary, "tools");
    const message = await rejectionOf(find({ PATH: "" }, unwritable));
    expect(message).to.include("NATS_SERVER_BIN").and.include("NATS_URL").and.not.include("\n");
  });
});
