import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import type { Cassette } from "#shared/cassette/cassette.ts";
import { tarsyHere, type TarsyRun } from "../../../scripts/test/tarsy-here.ts";
import { killOnExit } from "../../../test/support/kill-on-exit.ts";
import { SUMMARY_CALL } from "../../../test/support/scripts.ts";
import { writeScript } from "../../../test/support/write-script.ts";
import { parseCellResult, type CellResult } from "../results/cell-result.ts";

const MAIN = join(import.meta.dirname, "../../..", "scripts", "tarsy", "main.ts");

const TARSY = {
  system: {
    cost_estimation: {
      // A hundred dollars for a million tokens, so that a few words cost something.
      model_rates: Object.fromEntries(
        ["good-model", "bad-model", "judge-model"].map((model) => [
          model,
          { input_per_million: 100, output_per_million: 100 },
        ]),
      ),
    },
  },
  defaults: { llm_provider: "good", alert_type: "test" },
  mcp_servers: { files: { transport: { type: "stdio", command: "none-is-started" } } },
  agents: { TestAgent: { mcp_servers: ["files"], iteration_strategy: "native-thinking" } },
  agent_chains: {
    "test-chain": { alert_types: ["test"], stages: [{ name: "analysis", agents: [{ name: "TestAgent" }] }] },
    "kubernetes-agent-chain": {
      alert_types: ["kubernetes"],
      stages: [{ name: "analysis", agents: [{ name: "TestAgent" }] }],
    },
  },
};

/** The calls of the judge of whole sessions. */
export const JUDGE_CALLS = [
  {
    when: { contains: "the log fills the disk", call: 1 },
    steps: [{ text: "Well argued.\n\nTAGS: none\n88" }],
  },
  { when: { call: 1 }, steps: [{ text: "It looked at nothing.\n\nTAGS: incomplete_evidence\n20" }] },
  { steps: [{ text: "Nothing is missing." }] },
] as const;

/** The calls of the two models: one looks before it answers, the other guesses. */
export const SCRIPTS = {
  good: [
    SUMMARY_CALL,
    { when: { call: 1 }, steps: [{ tool_call: { name: "files.read", arguments: { path: "/var/log" } } }] },
    { steps: [{ text: "As /var/log shows, the log fills the disk." }] },
  ],
  bad: [SUMMARY_CALL, { steps: [{ text: "Restart it." }] }],
} as const;

/** A directory with a configuration of two scripted models and a judge, cassettes and a suite, for `tarsy eval`. */
export class EvalFixture implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async create(
    scripts: { readonly good?: readonly object[]; readonly bad?: readonly object[] } = {},
  ): Promise<EvalFixture> {
    const path = await mkdtemp(join(tmpdir(), "tarsy-eval-"));
    const config = join(path, "config");
    await mkdir(join(path, "cassettes"));
    await mkdir(config);
    const provider = (name: string) =>
      [
        name,
        { type: "scripted", model: `${name}-model`, script: `${name}.yaml`, max_output_tokens: 200 },
      ] as const;
    const llm_providers = Object.fromEntries([provider("good"), provider("bad"), provider("judge")]);
    await writeFile(join(config, "tarsy.yaml"), stringify(TARSY));
    await writeFile(join(config, "llm-providers.yaml"), stringify({ llm_providers }));
    await writeFile(join(config, "good.yaml"), stringify({ calls: scripts.good ?? SCRIPTS.good }));
    await writeFile(join(config, "bad.yaml"), stringify({ calls: scripts.bad ?? SCRIPTS.bad }));
    await writeFile(join(config, "judge.yaml"), stringify({ calls: JUDGE_CALLS }));
    return new EvalFixture(path);
  }

  async addCassette(name: string, cassette: Cassette): Promise<void> {
    await writeFile(join(this.path, "cassettes", `${name}.json`), JSON.stringify(cassette));
  }

  /** Replaces the script of a model. */
  async writeScript(model: string, calls: readonly object[]): Promise<void> {
    await writeScript(join(this.path, "config", `${model}.yaml`), calls);
  }

  /** Writes the suite: two variants, and all cassettes of the fixture, unless it says otherwise. */
  async writeSuite(suite: object): Promise<void> {
    const usual = {
      config_dir: "config",
      cassettes: ["cassettes"],
      variants: { good: { llm_provider: "good" }, bad: { llm_provider: "bad" } },
    };
    await writeFile(join(this.path, "suite.yaml"), stringify({ ...usual, ...suite }));
  }

  /** Starts the command in a process of its own. */
  start(...args: readonly string[]) {
    const child = spawn(process.execPath, [MAIN, "eval", join(this.path, "suite.yaml"), ...args], {
      cwd: this.path,
      env: { PATH: process.env["PATH"] },
      stdio: ["ignore", "pipe", "pipe"],
    });
    using _registered = killOnExit(child.pid ?? 0);
    let [out, errors] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
    const ended = once(child, "close").then(() => ({ code: child.exitCode, out, errors }));
    return { ended, errors: () => errors, kill: (signal: NodeJS.Signals) => child.kill(signal) };
  }

  /** Runs the command in this process to its end. */
  run(...args: readonly string[]): Promise<TarsyRun> {
    return tarsyHere(["eval", join(this.path, "suite.yaml"), ...args], { PATH: process.env["PATH"] });
  }

  /** Asks a provider about labelled answers, in this process. */
  measureJudge(provider: string, ...args: readonly string[]): Promise<TarsyRun> {
    return tarsyHere(["eval", "judge", provider, "--config-dir", join(this.path, "config"), ...args], {
      PATH: process.env["PATH"],
    });
  }

  /** The stored results, in the order in which they were stored. */
  async results(): Promise<CellResult[]> {
    const text = await readFile(join(this.path, "suite.results", "results.jsonl"), "utf8");
    return text
      .trimEnd()
      .split("\n")
      .map((line) => parseCellResult(JSON.parse(line)));
  }

  /** Writes to the end of the stored results. */
  async appendResults(text: string): Promise<void> {
    await appendFile(join(this.path, "suite.results", "results.jsonl"), text);
  }

  /** A file beside the results. */
  read(name: string): Promise<string> {
    return readFile(join(this.path, "suite.results", name), "utf8");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}
