import { join, resolve } from "node:path";
import { expect } from "chai";
import { renderTemplate } from "#shared/contracts/text-template.ts";
import { readConfigEnvironment } from "#shared/agent-config/config-environment.ts";
import { findChain, knownAlertTypes } from "#shared/agent-config/find-chain.ts";
import { loadAgentConfig } from "#shared/agent-config/load-agent-config.ts";
import { resolveChain } from "#shared/agent-config/resolve-chain.ts";
import { showConfig } from "#shared/agent-config/show-config.ts";
import { TYPICAL_PROVIDERS, TYPICAL_TARSY } from "./typical-files.ts";
import { DEFAULTS, SCRIPTED, writeConfigFiles, failureOf, loadText } from "./config-fixture.ts";

const ENV = {
  GOOGLE_API_KEY: "hush-key",
  KUBECONFIG: "/k8s/config",
  ARGOCD_TOKEN: "hush-token",
  ARGOCD_VERIFY: "off",
};
const loadTypical = () => loadText(TYPICAL_TARSY, TYPICAL_PROVIDERS, ENV);
const DEPLOY = join(import.meta.dirname, "../../../deploy/config");

describe("loadAgentConfig", () => {
  it("loads a typical large configuration with every value as intended", async () => {
    const config = await loadTypical();
    expect(config.counts).to.deep.equal({ agents: 10, chains: 5, mcpServers: 3, llmProviders: 26 });
    expect(config.queue).to.deep.equal({
      worker_count: 8,
      max_concurrent_sessions: 20,
      max_concurrent_followups: 5,
      max_parallel_agents: 5,
      session_timeout_ms: 1_800_000,
      poll_interval_ms: 2_000,
      poll_interval_jitter_ms: 0,
      graceful_shutdown_timeout_ms: 1_800_000,
      scoring_shutdown_timeout_ms: 180_000,
      orphan_detection_interval_ms: 300_000,
      orphan_threshold_ms: 300_000,
      heartbeat_interval_ms: 90_000,
    });
    const kubernetes = config.mcpServers.get("kubernetes-server");
    expect(kubernetes?.transport.args?.slice(3)).to.deep.equal([
      "--port",
      "8080",
      "--kubeconfig",
      "{{.KUBECONFIG}}",
    ]);
    expect(kubernetes?.instructions).to.include('queries: {{"{{"}} is no template');
    expect(kubernetes?.data_masking?.enabled).to.equal(true);
    expect(kubernetes?.summarization).to.deep.include({
      size_threshold_tokens: 5000,
      summary_max_token_limit: 0,
    });
    const argocd = config.mcpServers.get("argocd-server");
    expect(argocd?.transport).to.deep.include({
      bearer_token: "{{.ARGOCD_TOKEN}}",
      verify_ssl: false,
      timeout: 60,
    });
    expect(argocd?.data_masking).to.deep.include({ enabled: false, patterns: ["certificate", "token"] });
    expect(config.llmProviders.get("gemini-2.5-flash")).to.include({
      model: "gemini-2.5-flash",
      type: "google",
    });
    for (const alertType of knownAlertTypes(config)) resolveChain(config, alertType);
  });

  it("warns of models that retire, keys without effect and values it replaces, and of nothing else", async () => {
    const { warnings } = await loadTypical();
    expect(warnings.map(({ path }) => path)).to.deep.equal([
      'llm_providers["gemini-2.5-pro"].model',
      'llm_providers["gemini-2.5-flash"].model',
      "llm_providers.gemini-3-pro-preview.model",
      "queue.poll_interval",
      "queue.poll_interval_jitter",
      "queue.graceful_shutdown_timeout",
      "queue.orphan_detection_interval",
      "queue.orphan_threshold",
      "queue.heartbeat_interval",
      "agent_chains.comprehensive.stages[1].replicas",
    ]);
    expect(warnings[7]?.message).to.include("session lease");
  });

  it("requires only a usable provider: otherwise empty files are valid", async () => {
    const error = await failureOf(loadText("", "# nothing\n"));
    expect(error.problems.map(({ path }) => path)).to.deep.equal(["defaults.llm_provider"]);
    const config = await loadText(DEFAULTS.replace("test", "google-default"), "", { GOOGLE_API_KEY: "x" });
    expect(config.counts).to.deep.equal({ agents: 7, chains: 1, mcpServers: 1, llmProviders: 18 });
    expect(config.defaults).to.include({
      alert_type: "kubernetes",
      max_iterations: 20,
      success_policy: "any",
    });
  });

  it("replaces the built-in holidays by a list that has any", async () => {
    const holidaysOf = async (section: string) => (await loadText(`${DEFAULTS}${section}`)).system.holidays;
    const builtIn = await holidaysOf("");
    expect(builtIn.map(({ date }) => date)).to.deep.equal(["01-01", "05-01", "12-25"]);
    expect(await holidaysOf("system: {holidays: []}\n")).to.deep.equal(builtIn);
    const written = [
      { date: "02-29", name: "Leap day" },
      { date: "2026-12-24", name: "Company day" },
    ];
    const lines = written.map(({ date, name }) => `    - {date: ${date}, name: ${name}}\n`);
    expect(await holidaysOf(`system:\n  holidays:\n${lines.join("")}`)).to.deep.equal(written);
  });

  it("replaces a whole built-in entry", async () => {
    const config = await loadText(`${DEFAULTS}agents:\n  SynthesisAgent: {max_iterations: 2}\n`);
    expect(config.agents.get("SynthesisAgent")).to.deep.equal({ __proto__: null, max_iterations: 2 });
  });

  it("keeps the variables of MCP servers for the tool-runner, and the placeholder for an execution's id", async () => {
    const header = 'custom_headers: {X-Session: "{{.SESSION_ID}}", X-Key: "{{.KEY}}"}';
    const server = `{transport: {type: http, url: "{{.URL}}/mcp", args: ["--key={{.KEY}}"], ${header}}}`;
    const env = { KEY: "hush", URL: "http://here", SESSION_ID: "no" };
    const config = await loadText(`${DEFAULTS}mcp_servers:\n  own: ${server}\n`, SCRIPTED, env);
    const { url, args, custom_headers: headers = {} } = config.mcpServers.get("own")?.transport ?? {};
    expect(url).to.equal("{{.URL}}/mcp");
    expect(args).to.deep.equal(["--key={{.KEY}}"]);
    expect(renderTemplate(headers["X-Session"] ?? "", () => "")).to.equal("{{.SESSION_ID}}");
    expect(JSON.stringify([...config.mcpServers])).not.to.include("hush");
    expect(config.mcpServers.get("kubernetes-server")?.transport.args?.at(-1)).to.equal("{{.KUBECONFIG}}");
  });

  it("does not expand other dollar and brace notations", async () => {
    const config = await loadText(
      `${DEFAULTS}agents:\n  A: {custom_instructions: "$X \${X} }} { {"}\n`,
      SCRIPTED,
      { X: "no" },
    );
    expect(config.agents.get("A")?.custom_instructions).to.equal("$X ${X} }} { {");
  });

  it("inserts raw text, so that a variable may be a number, a boolean or several lines", async () => {
    const tarsy = `${DEFAULTS}queue:\n  worker_count: {{.N}}\nagents:\n  A:\n    mcp_servers:\n{{.LIST}}\n`;
    const config = await loadText(tarsy, SCRIPTED, { N: "7", LIST: "      - kubernetes-server" });
    expect(config.queue.worker_count).to.equal(7);
    expect(config.agents.get("A")?.mcp_servers).to.deep.equal(["kubernetes-server"]);
  });

  it("warns of unknown YAML tags and directives without showing inserted text", async () => {
    const agents = "agents:\n  A: {custom_instructions: !vault x}\n  B: {custom_instructions: !{{.T}} x}\n";
    const { warnings } = await loadText(`%FOO 1\n---\n${DEFAULTS}${agents}`, SCRIPTED, { T: "hush" });
    expect(warnings.map(({ line, column, message }) => `${line}:${column} ${message}`)).to.deep.equal([
      "1:1 is unusual YAML: Unknown directive %FOO",
      "6:28 has a YAML tag !vault that means nothing here and is ignored; remove it, or quote the value if it belongs to the text",
      "7:28 has a YAML tag that means nothing here and is ignored; remove it, or quote the value if it belongs to the text",
    ]);
  });

  it("warns of an unset variable once, and not in a comment", async () => {
    const { warnings } = await loadText(
      `# {{.B}}\n${DEFAULTS}  runbook: "{{.A}}"\nagents:\n  A: {custom_instructions: "{{.A}}"}\n`,
    );
    expect(warnings.map(({ line, path, message }) => `${line} ${path} ${message}`)).to.deep.equal([
      '4 defaults.runbook is empty and counts as not set, found "{{.A}}" (A is not set)',
      "4  A is not set, so {{.A}} inserts nothing",
    ]);
  });

  it("warns of unknown keys with the nearest known one, and ignores their values", async () => {
    const tarsy = `${DEFAULTS}  llm_backnd: native\nsistem:\n  github: {token_env: [1]}\nagent_chains:\n  kubernetes-agent-chain:\n    alert_types: [kubernetes]\n    executive_summary_agent: x\n    stages:\n      - name: s\n        sucess_policy: all\n        agents: [{name: ChatAgent, colour: x}]\n`;
    const { warnings } = await loadText(tarsy, `${SCRIPTED}future: 1\n`);
    expect(warnings.map(({ line, path }) => `${line} ${path}`)).to.deep.equal([
      "3 future",
      "3 defaults.llm_backnd",
      "4 sistem",
      "9 agent_chains.kubernetes-agent-chain.executive_summary_agent",
      "12 agent_chains.kubernetes-agent-chain.stages[0].sucess_policy",
      "13 agent_chains.kubernetes-agent-chain.stages[0].agents[0].colour",
    ]);
    expect(warnings[4]?.message).to.include("did you mean success_policy?");
  });

  it("requires the keys of used providers only, reports their position, and shows no secret", async () => {
    const providers = `${SCRIPTED}  far: {type: openai, model: m, api_key_env: FAR_KEY, max_tool_result_tokens: 1000}\n`;
    await loadText(DEFAULTS, providers);
    const error = await failureOf(loadText("defaults: {llm_provider: far}\n", providers));
    expect(error.problems.map(({ line, path }) => `${line} ${path}`)).to.deep.equal([
      "3 llm_providers.far.api_key_env",
    ]);
    expect(error.message).to.include("set FAR_KEY in the environment or in");
    const pasted = await failureOf(loadText(DEFAULTS, providers.replace("FAR_KEY", "sk-hush-hush")));
    expect(pasted.message).not.to.include("hush");
    const inserted = await failureOf(
      loadText(`${DEFAULTS}  max_iterations: {{.A_TOKEN}}\n`, providers, { A_TOKEN: "hush" }),
    );
    expect(inserted.message).not.to.include("hush");
  });

  it("leaves out a built-in chain without a provider if the written chains have their own", async () => {
    const tarsy =
      "defaults: {alert_type: a}\nagent_chains:\n  c: {alert_types: [a], llm_provider: test, stages: [{name: s, agents: [{name: ChatAgent}]}]}\n";
    const config = await loadText(tarsy);
    expect(knownAlertTypes(config)).to.deep.equal(["a"]);
    expect(config.warnings.map(({ path }) => path)).to.deep.equal(["defaults.llm_provider"]);
    expect(findChain(config, undefined)?.chainId).to.equal("c");
    expect(findChain(config, "kubernetes")).to.equal(undefined);
  });

  it("loads the deployed configurations: the default with a key, the demo without one", async () => {
    const env = readConfigEnvironment(DEPLOY, { MISTRAL_API_KEY: "x" });
    const main = await loadAgentConfig({ configDir: DEPLOY, env });
    expect(resolveChain(main, undefined).stages[0]?.agents[0]).to.deep.include({
      iteration_strategy: "react",
      mcp_servers: ["kubernetes-server"],
    });
    expect(main.defaults.llm_provider).to.equal("mistral-default");
    const demoDir = join(DEPLOY, "demo");
    const demo = await loadAgentConfig({ configDir: demoDir, env: readConfigEnvironment(demoDir, {}) });
    expect(resolveChain(demo, "kubernetes").stages[0]?.agents[0]?.llm_provider.backend).to.equal("scripted");
    expect([...main.warnings, ...demo.warnings]).to.deep.equal([]);
  });
});

describe("readConfigEnvironment", () => {
  it("reads .env, overridden by the real environment, allows it to be missing, and names the directory", async () => {
    await using directory = await writeConfigFiles({ ".env": "A=file\nB='in file'\n# C=no\n" });
    expect(readConfigEnvironment(directory.path, { A: "real", B: undefined })).to.deep.equal({
      A: "real",
      B: "in file",
      CONFIG_DIR: directory.path,
    });
    const files = [join(directory.path, ".env")];
    expect(readConfigEnvironment("/elsewhere", {}, files)).to.include({ A: "file" });
    const nowhere = readConfigEnvironment("nowhere", { A: "real", CONFIG_DIR: "elsewhere" });
    expect(nowhere).to.deep.equal({ A: "real", CONFIG_DIR: resolve("nowhere") });
  });
});

describe("showConfig", () => {
  it("shows the origin of every value, and no secret", async () => {
    const shown = showConfig(await loadTypical());
    expect(shown).not.to.include("hush");
    expect(shown).to.match(/worker_count: 8 # \S+tarsy\.yaml:3\n/u);
    expect(shown).to.include("max_parallel_agents: 5 # built-in");
    expect(shown).to.match(/KUBECONFIG\}\}"? # \S+tarsy\.yaml:25, environment KUBECONFIG\n/u);
    expect(shown).to.include('bearer_token: "{{.ARGOCD_TOKEN}}" #');
    const resolved = shown.slice(shown.indexOf("\nresolved:"));
    expect(resolved).to.include("max_iterations: 10 # stage agent");
    expect(resolved).to.include("llm_provider: gemini-2.5-pro # chain");
    expect(resolved).to.include("iteration_strategy: synthesis-native-thinking # synthesis");
    expect(resolved).to.include("max_iterations: 8 # stage\n");
    expect(resolved).to.include("iteration_strategy: native-thinking # agent");
    expect(resolved).to.include("iteration_timeout_ms: 120000 # built-in");
  });
});
