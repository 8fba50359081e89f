import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect } from "chai";
import { tarsyHere } from "../../../scripts/test/tarsy-here.ts";
import { DEFAULTS, SCRIPTED, writeConfigFiles } from "./config-fixture.ts";

const ROOT = join(import.meta.dirname, "../../..");

async function runConfigWith(env: NodeJS.ProcessEnv, ...args: string[]) {
  const { code, out, errors } = await tarsyHere(["config", ...args], { INIT_CWD: ROOT, ...env });
  return { status: code, stdout: out, stderr: errors };
}

const runConfig = (...args: string[]) => runConfigWith({}, ...args);
/** Each call of a script. */
const PLAYS = "calls: [{ steps: [{ text: a }] }]\n";

describe("npm run config", () => {
  it("checks a directory: exit code 0 with a summary, or 1 with the report", async () => {
    await using good = await writeConfigFiles({
      "tarsy.yaml": DEFAULTS,
      "llm-providers.yaml": SCRIPTED,
      "s.yaml": PLAYS,
    });
    const checked = await runConfig("check", "--config-dir", good.path);
    expect(checked).to.deep.include({ status: 0, stderr: "" });
    expect(checked.stdout).to.include("is valid: 7 agents, 1 chain, 1 MCP server, 19 providers");
    await using bad = await writeConfigFiles({
      "tarsy.yaml": "queue: 1\nnew: 2\n",
      "llm-providers.yaml": SCRIPTED,
    });
    const refused = await runConfig("check", "--config-dir", bad.path);
    expect(refused).to.deep.include({ status: 1, stdout: "" });
    expect(refused.stderr).to.include("tarsy.yaml:1:8: queue: must be a mapping, found 1");
    expect(refused.stderr).to.include("tarsy.yaml:2:1: warning: new: is not a known key");
  });

  it("looks where npm start looks, and says where that is", async () => {
    const demo = await runConfig("check");
    expect(demo.status).to.equal(0);
    expect(demo.stdout).to.include(`${ROOT}/deploy/config/demo is valid`);
    expect(demo.stderr).to.equal(
      `${ROOT}/deploy/config/demo: no key of an LLM provider is set, so npm start uses the demo\n`,
    );
    const withKey = await runConfigWith({ MISTRAL_API_KEY: "k" }, "check");
    expect(withKey.stdout).to.include(`${ROOT}/deploy/config is valid`);
    expect(withKey.stderr).to.equal(
      `${ROOT}/deploy/config: MISTRAL_API_KEY is set, so npm start uses this directory\n`,
    );
    const variable = await runConfigWith(
      { INIT_CWD: join(ROOT, "deploy"), CONFIG_DIR: "config/demo" },
      "check",
    );
    expect(variable).to.deep.include({ status: 0, stderr: "" });
    expect(variable.stdout).to.include(`${ROOT}/deploy/config/demo is valid`);
    const nowhere = await runConfig("check", "--config-dir", "no/such/place");
    expect(nowhere).to.deep.include({ status: 2, stdout: "" });
    expect(nowhere.stderr).to.include("there is no directory");
  });

  it("counts warnings as errors with --strict", async () => {
    await using directory = await writeConfigFiles({
      "tarsy.yaml": `${DEFAULTS}agents: { A: { custom_instruction: look } }\n`,
      "llm-providers.yaml": SCRIPTED,
      "s.yaml": PLAYS,
    });
    const args = ["check", "--config-dir", directory.path];
    expect((await runConfig(...args)).status).to.equal(0);
    const strict = await runConfig(...args, "--strict");
    expect(strict).to.deep.include({ status: 1, stdout: "" });
    expect(strict.stderr)
      .to.include("did you mean custom_instructions?")
      .and.include("has 1 warning, which --strict does not allow");
    const json: unknown = JSON.parse((await runConfig(...args, "--json")).stdout);
    expect(json).to.deep.include({ valid: true, directory: directory.path, errors: [] });
    expect(json).to.have.nested.property("warnings[0].path", "agents.A.custom_instruction");
  });

  it("reads stub-tools.yaml and scripts", async () => {
    await using directory = await writeConfigFiles({
      "tarsy.yaml": DEFAULTS,
      "llm-providers.yaml": SCRIPTED,
      "s.yaml": "calls: [{ steps: [{ tool_cal: { name: a } }] }]\n",
      "stub-tools.yaml": "servers: [",
    });
    const { status, stderr } = await runConfig("check", "--config-dir", directory.path);
    expect(status).to.equal(1);
    expect(stderr)
      .to.include("the configuration cannot be used: 2 errors")
      .and.include("s.yaml:1:21: calls[0].steps[0].tool_cal: is not a known key; did you mean tool_call?")
      .and.include("stub-tools.yaml:1:11: invalid YAML syntax");
  });

  it("shows the effective configuration of a directory, its .env included", async () => {
    await using directory = await writeConfigFiles({
      "tarsy.yaml": `${DEFAULTS}  max_iterations: {{.ROUNDS}}\n`,
      "llm-providers.yaml": SCRIPTED,
      ".env": "ROUNDS=7\n",
      "s.yaml": PLAYS,
    });
    const shown = await runConfig("show", "--config-dir", directory.path);
    expect(shown.status).to.equal(0);
    expect(shown.stdout).to.match(/max_iterations: 7 # \S+tarsy\.yaml:3, environment ROUNDS/u);
  });

  it("says what is allowed, with exit code 2, for invalid arguments", async () => {
    for (const [args, says] of [
      [["frobnicate"], "config frobnicate: use check or show\n"],
      [["check", "--nope"], "'--nope'"],
    ] as const) {
      const { status, stderr } = await runConfig(...args);
      expect(status).to.equal(2);
      expect(stderr).to.include(says);
    }
    const started = spawnSync(process.execPath, ["scripts/config.ts"], { cwd: ROOT, encoding: "utf8" });
    expect(started).to.deep.include({ status: 2, stdout: "", stderr: "config: use check or show\n" });
  });
});
