import { expect } from "chai";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectPaths } from "../project-paths.ts";
import { createCheckout, npmStart } from "./checkout.ts";

describe("npm start with a configuration", () => {
  const root = mkdtempSync(join(tmpdir(), "tarsy-start-"));
  before(() => createCheckout(root));
  after(() => rmSync(root, { recursive: true }));

  it("reports errors in the configuration before it starts anything", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tarsy-config-"));
    writeFileSync(join(folder, "tarsy.yaml"), "queue: { worker_count: 99 }\n");
    writeFileSync(
      join(folder, "llm-providers.yaml"),
      "llm_providers: { mine: { type: nobody }, plays: { type: scripted, script: s.yaml, api_key: k } }\n",
    );
    writeFileSync(join(folder, "s.yaml"), "calls: [{ when: { contain: a }, steps: [] }]\n");
    writeFileSync(join(folder, "stub-tools.yaml"), "servers: [\n");
    const start = npmStart(root, ["--config-dir", folder], {});
    expect(await start.exited).to.equal(1);
    expect(start.output()).to.include(`${folder}/tarsy.yaml:1:24: queue.worker_count: must be`);
    expect(start.output()).to.include(`${folder}/llm-providers.yaml:1:32: llm_providers.mine.type: must be`);
    expect(start.output()).to.include(
      `${folder}/s.yaml:1:19: calls[0].when.contain: is not a known key; did`,
    );
    expect(start.output()).to.include(`${folder}/stub-tools.yaml:2:1: invalid YAML`);
    expect(start.output()).to.include("warning: llm_providers.plays.api_key: is not a known key");
    expect(start.output()).not.to.include("starting");
    expect(existsSync(projectPaths(root).lock)).to.equal(false);
    rmSync(folder, { recursive: true });
  });

  it("starts deploy/config with any key, and says which model answers and what the tools read, without the key itself", async () => {
    const start = npmStart(root, [], { OPENAI_API_KEY: "sk-do-not-show", HOME: root });
    await start.prints("TARSy is ready at http://localhost:");
    await start.prints(/model {10}\S+ of openai-default: OPENAI_API_KEY is the first key that is set/u);
    await start.prints(/tools {10}example files, not your systems: no kubeconfig/u);
    expect(start.output()).to.include(
      `${projectPaths(root).config}, made from ${join(root, "deploy/config")}`,
    );
    start.child.kill("SIGTERM");
    expect(await start.exited).to.equal(0);
    expect(start.output()).not.to.include("sk-do-not-show");
  });
});
