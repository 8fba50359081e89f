import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect } from "chai";
import { DEFAULTS, SCRIPTED, writeConfigFiles } from "./config-fixture.ts";

const ROOT = join(import.meta.dirname, "../../..");

function runConfig(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/config.ts", ...args], {
    cwd: ROOT,
    env: {},
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

describe("npm run config", () => {
  it("checks a directory: exit code 0 with a summary, or 1 with the report", async () => {
    await using good = await writeConfigFiles({ "tarsy.yaml": DEFAULTS, "llm-providers.yaml": SCRIPTED });
    const checked = runConfig("check", "--config-dir", good.path);
    expect(checked).to.deep.include({ status: 0, stderr: "" });
    expect(checked.stdout).to.include("is valid: 6 agents, 1 chains, 1 MCP servers, 10 providers");
    await using bad = await writeConfigFiles({
      "tarsy.yaml": "queue: 1\nnew: 2\n",
      "llm-providers.yaml": SCRIPTED,
    });
    const refused = runConfig("check", "--config-dir", bad.path);
    expect(refused).to.deep.include({ status: 1, stdout: "" });
    expect(refused.stderr).to.include("tarsy.yaml:1:8: queue: must be a mapping, found 1");
    expect(refused.stderr).to.include("tarsy.yaml:2:1: warning: new: is not a known key");
  });

  it("shows the effective configuration of a directory, its .env included", async () => {
    await using directory = await writeConfigFiles({
      "tarsy.yaml": `${DEFAULTS}  max_iterations: {{.ROUNDS}}\n`,
      "llm-providers.yaml": SCRIPTED,
      ".env": "ROUNDS=7\n",
    });
    const shown = runConfig("show", "--config-dir", directory.path);
    expect(shown.status).to.equal(0);
    expect(shown.stdout).to.match(/max_iterations: 7 # \S+tarsy\.yaml:3, environment ROUNDS/u);
  });

  it("says what is allowed, with exit code 2, for invalid arguments", () => {
    for (const [args, says] of [
      [[], "config: use check or show\n"],
      [["frobnicate"], "config frobnicate: use check or show\n"],
      [["check", "--nope"], "'--nope'"],
    ] as const) {
      const { status, stderr } = runConfig(...args);
      expect(status).to.equal(2);
      expect(stderr).to.include(says);
    }
  });
});
