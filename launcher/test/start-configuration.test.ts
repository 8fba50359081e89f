import { expect } from "chai";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectPaths } from "../project-paths.ts";
import { addNewCluster, createCheckout, npmStart, services, type Start } from "./checkout.ts";

/** The values of a JSON object by name, as text. */
function readTexts(path: string): ReadonlyMap<string, string> {
  const value: unknown = JSON.parse(readFileSync(path, "utf8"));
  if (typeof value !== "object" || value === null) throw new Error(`${path} holds no object`);
  return new Map(Object.entries(value).map(([name, text]) => [name, String(text)]));
}

describe("npm start with a configuration", () => {
  const root = mkdtempSync(join(tmpdir(), "tarsy-start-"));
  let start: Start | undefined;
  const begun = (): Start => {
    if (start === undefined) throw new Error("it has not started");
    return start;
  };

  before(async () => {
    createCheckout(root);
    await addNewCluster(root);
  });
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
    const refused = npmStart(root, ["--config-dir", folder], {});
    expect(await refused.exited).to.equal(1);
    expect(refused.output()).to.include(`${folder}/tarsy.yaml:1:24: queue.worker_count: must be`);
    expect(refused.output()).to.include(
      `${folder}/llm-providers.yaml:1:32: llm_providers.mine.type: must be`,
    );
    expect(refused.output()).to.include(
      `${folder}/s.yaml:1:19: calls[0].when.contain: is not a known key; did`,
    );
    expect(refused.output()).to.include(`${folder}/stub-tools.yaml:2:1: invalid YAML`);
    expect(refused.output()).to.include("warning: llm_providers.plays.api_key: is not a known key");
    expect(refused.output()).not.to.include("starting");
    expect(existsSync(projectPaths(root).lock)).to.equal(false);
    rmSync(folder, { recursive: true });
  });

  it("starts deploy/config with any key, and says which model answers and what the tools read, without the key itself", async () => {
    start = npmStart(root, ["--sources"], { OPENAI_API_KEY: "sk-do-not-show", HOME: root }, true);
    await start.prints("TARSy is ready at http://localhost:");
    await start.prints(/model {10}\S+ of openai-default: OPENAI_API_KEY is the first key that is set/u);
    await start.prints(/tools {10}example files, not your systems: no kubeconfig/u);
    expect(start.output()).to.include(
      `${projectPaths(root).config}, made from ${join(root, "deploy/config")}`,
    );
    expect(start.output()).not.to.include("sk-do-not-show");
  });

  it("gives each service its own user of NATS, and only the api the one that creates streams", () => {
    const paths = projectPaths(root);
    const users = services.map((service) => {
      const folder = join(root, "services", service);
      // What the stub service wrote.
      const name = readdirSync(folder).find((file) => file.startsWith(".env-")) ?? "";
      const env = readTexts(join(folder, name));
      const userOf = (variable: string) => URL.parse(env.get(variable) ?? "")?.username ?? "";
      return [service, userOf("NATS_URL"), userOf("NATS_ADMIN_URL")];
    });
    expect(users).to.have.deep.members([
      ["api", "api", "stream-admin"],
      ["executor", "executor", ""],
      ["llm-gateway", "", ""],
      ["notifier", "notifier", ""],
      ["tool-runner", "tool-runner", ""],
    ]);
    expect(statSync(paths.nats).mode & 0o777).to.equal(0o700);
    for (const name of ["passwords.json", "nats.conf"]) {
      expect(statSync(join(paths.nats, name)).mode & 0o777, name).to.equal(0o600);
    }
    // Neither in what is printed nor in the log of the server.
    const passwords = [...readTexts(join(paths.nats, "passwords.json")).values()];
    expect(new Set(passwords).size).to.equal(5);
    const logged = begun().output() + readFileSync(join(paths.nats, "server.log"), "utf8");
    for (const password of passwords) expect(logged).not.to.include(password);
  });

  it("stops in order on Ctrl-C, which reaches the whole process group", async () => {
    const { child, exited, output } = begun();
    process.kill(-(child.pid ?? 0), "SIGINT");
    await exited;
    expect(output())
      .to.include("stopped by")
      .and.include("everything is stopped")
      .and.not.include("SIGKILL")
      .and.not.include("sk-do-not-show");
    expect(existsSync(projectPaths(root).lock)).to.equal(false);
    expect(existsSync(projectPaths(root).runRecord)).to.equal(false);
  });
});
