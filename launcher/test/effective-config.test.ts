import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  existsSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect } from "chai";
import { findKeys, PREFERRED_PROVIDERS } from "#shared/agent-config/found/find-keys.ts";
import { loadAgentConfig } from "#shared/agent-config/load-agent-config.ts";
import type { Environment } from "#shared/service/environment.ts";
import { openFakeCluster, writeKubeconfig } from "../../test/support/fake-cluster.ts";
import { checkConfiguration } from "../check-configuration.ts";
import { effectiveText } from "../effective-text.ts";
import { prepareConfiguration } from "../effective-config.ts";
import { findConfigDirectory } from "../find-config-directory.ts";
import { projectRoot } from "../prepare.mjs";
import { projectPaths } from "../project-paths.ts";
import { rejectionOf } from "./rejection-of.ts";

const { signal } = new AbortController();
const KEYS = {
  "google-default": { GOOGLE_API_KEY: "k" },
  "anthropic-default": { ANTHROPIC_API_KEY: "k" },
  "openai-default": { OPENAI_API_KEY: "k" },
  "xai-default": { XAI_API_KEY: "k" },
  "openrouter-default": { OPENROUTER_API_KEY: "k" },
  "mistral-default": { MISTRAL_API_KEY: "k" },
  "groq-default": { GROQ_API_KEY: "k" },
  "deepseek-default": { DEEPSEEK_API_KEY: "k" },
  "vertexai-default": {
    GOOGLE_APPLICATION_CREDENTIALS: "/c.json",
    GOOGLE_CLOUD_PROJECT: "p",
    GOOGLE_CLOUD_LOCATION: "l",
  },
} satisfies Readonly<Record<(typeof PREFERRED_PROVIDERS)[number], Environment>>;

describe("the configuration of a start with a key", () => {
  const root = mkdtempSync(join(tmpdir(), "tarsy-effective-"));
  const paths = projectPaths(root);
  const source = join(root, "deploy", "config");
  const shipped = (name: string) => readFileSync(join(projectRoot, "deploy/config", name), "utf8");

  beforeEach(() => {
    mkdirSync(join(source, "scripts"), { recursive: true });
    for (const name of ["tarsy.yaml", "llm-providers.yaml"]) writeFileSync(join(source, name), shipped(name));
  });
  afterEach(() => rmSync(join(root, "deploy"), { recursive: true }));
  after(() => rmSync(root, { recursive: true }));

  const prepare = async (env: Environment) => {
    const user = { root, userDir: root, configDir: undefined, localModel: undefined };
    const chosen = await findConfigDirectory({ ...user, env });
    return prepareConfiguration(chosen, { paths, signal, progress: () => undefined });
  };
  const load = async ({ path, env }: { path: string; env: Environment }) =>
    loadAgentConfig({ configDir: path, env });

  for (const name of PREFERRED_PROVIDERS) {
    it(`names ${name} if its key is the only one`, async () => {
      const config = await prepare(KEYS[name]);
      expect(config.path).to.equal(paths.config);
      expect((await load(config)).defaults.llm_provider).to.equal(name);
    });
  }

  it("names the first provider in the order, and none without a key", async () => {
    const all: Environment = Object.fromEntries(Object.values(KEYS).flatMap((keys) => Object.entries(keys)));
    expect(findKeys(all).map(({ provider }) => provider)).to.deep.equal([...PREFERRED_PROVIDERS]);
    expect(
      (await load(await prepare({ GROQ_API_KEY: "k", ANTHROPIC_API_KEY: "k" }))).defaults.llm_provider,
    ).to.equal("anthropic-default");
    const demo = await prepare({ GOOGLE_API_KEY: "", GOOGLE_CLOUD_PROJECT: "p" });
    expect(demo).to.include({ isDemo: true, path: join(source, "demo") });
  });

  it("keeps the provider that is written if its key is set, and replaces it otherwise", async () => {
    const written = `defaults:\n  llm_provider: xai-default # ours\n`;
    writeFileSync(join(source, "tarsy.yaml"), written);
    const kept = await load(await prepare({ GOOGLE_API_KEY: "k", XAI_API_KEY: "k" }));
    expect(kept.defaults.llm_provider).to.equal("xai-default");
    const replaced = await prepare({ MISTRAL_API_KEY: "k" });
    expect((await load(replaced)).defaults.llm_provider).to.equal("mistral-default");
    expect(readFileSync(join(paths.config, "tarsy.yaml"), "utf8")).to.equal(
      "defaults:\n  llm_provider: mistral-default # ours\n",
    );
    expect(readFileSync(join(source, "tarsy.yaml"), "utf8")).to.equal(written);
  });

  it("reads a key from the .env of the directory, which is not copied", async () => {
    writeFileSync(join(source, ".env"), "OPENAI_API_KEY=sk-secret\n");
    writeFileSync(join(source, "tool-runner.env"), "TOKEN=t\n");
    const config = await prepare({});
    expect((await load(config)).defaults.llm_provider).to.equal("openai-default");
    expect(existsSync(join(paths.config, ".env"))).to.equal(false);
    expect(readlinkSync(join(paths.config, "tool-runner.env"))).to.equal(join(source, "tool-runner.env"));
    expect(existsSync(join(paths.config, "scripts"))).to.equal(true);
  });

  it("investigates the cluster of a kubeconfig that answers, with the built-in server and agent", async () => {
    await using cluster = await openFakeCluster();
    const kubeconfig = join(root, "kube");
    await writeKubeconfig(kubeconfig, { server: cluster.url });
    const bin = join(root, "bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "kubernetes-mcp-server"), "#!/bin/sh\n", { mode: 0o755 });
    const PATH = [bin, process.env["PATH"]].join(delimiter);
    const config = await prepare({ GOOGLE_API_KEY: "k", KUBECONFIG: kubeconfig, PATH });
    expect(config.tools).to.equal(`the cluster of lab in ${kubeconfig}, read-only`);
    const { agents, mcpServers } = await load(config);
    expect(mcpServers.get("kubernetes-server")?.transport).to.deep.include({
      command: "kubernetes-mcp-server",
      args: ["--read-only", "--disable-destructive", "--kubeconfig", "{{.KUBECONFIG}}"],
    });
    expect(config.env).to.include({ KUBECONFIG: kubeconfig, CONFIG_DIR: paths.config });
    expect(agents.get("KubernetesAgent")).to.deep.include({ iteration_strategy: "react" });
  });

  it("says why the tools read example files", async () => {
    const none = await prepare({ GOOGLE_API_KEY: "k", HOME: root });
    expect(none.tools)
      .to.include("example files, not your systems: no kubeconfig with a current context was found")
      .and.include("KUBECONFIG=/path/to/kubeconfig npm start");
    const { mcpServers } = await load(none);
    expect(mcpServers.get("kubernetes-server")?.transport.args).to.deep.equal(["{{.CONFIG_DIR}}/demo/files"]);
    await using cluster = await openFakeCluster({ status: 403 });
    const kubeconfig = join(root, "kube");
    await writeKubeconfig(kubeconfig, { server: cluster.url });
    const refused = await prepare({ GOOGLE_API_KEY: "k", KUBECONFIG: kubeconfig });
    expect(refused.tools)
      .to.include(`the context lab of ${kubeconfig} cannot be used: `)
      .and.include("HTTP 403");
  });

  it("leaves tools alone that the operator has connected", async () => {
    writeFileSync(join(source, "tarsy.yaml"), "defaults: { max_iterations: 5 }\n");
    const config = await prepare({ GOOGLE_API_KEY: "k", HOME: root });
    expect(config.tools).to.equal(undefined);
    expect(readFileSync(join(paths.config, "tarsy.yaml"), "utf8")).to.equal(
      "defaults: { max_iterations: 5 }\n",
    );
  });

  it("reports a mistake where the operator has written it", async () => {
    writeFileSync(join(source, "tarsy.yaml"), `${shipped("tarsy.yaml")}\nqueue: { worker_count: 99 }\n`);
    const config = await prepare({ GOOGLE_API_KEY: "k", HOME: root });
    const report = await rejectionOf(checkConfiguration(config, () => undefined));
    const line = shipped("tarsy.yaml").split("\n").length + 1;
    expect(report)
      .to.include(`${source}/tarsy.yaml:${line}:24: queue.worker_count`)
      .and.not.include(".tarsy");
  });
});

describe("effectiveText", () => {
  const SERVERS =
    "mcp_servers:\n  one:\n    example: x\n    args: [a,\n      b]\n\n  # about two\n  two: { a: 1 }\nqueue: {}\n";

  it("leaves a server out without moving a line", () => {
    expect(effectiveText(SERVERS, { provider: undefined, server: "one" })).to.equal(
      "mcp_servers:\n#  one:\n#    example: x\n#    args: [a,\n#      b]\n\n  # about two\n  two: { a: 1 }\nqueue: {}\n",
    );
  });

  it("leaves out the section with its only server", () => {
    const text = "mcp_servers:\n  one:\n    example: x\nqueue: {}\n";
    expect(effectiveText(text, { provider: undefined, server: "one" })).to.equal(
      "#mcp_servers:\n#  one:\n#    example: x\nqueue: {}\n",
    );
  });

  it("changes nothing where nothing fits", () => {
    for (const text of ["", "mcp_servers: { one: { example: x }, two: {} }\n", "a: [\n", "defaults: 3\n"]) {
      expect(effectiveText(text, { provider: "p", server: "one" })).to.equal(text);
    }
  });

  it("replaces a provider and leaves a server out", () => {
    const text = `${SERVERS}defaults:\n  llm_provider: "old" # c\n`;
    expect(effectiveText(text, { provider: "new", server: "two" })).to.equal(
      text.replace('"old"', "new").replace("  two:", "#  two:"),
    );
  });
});
