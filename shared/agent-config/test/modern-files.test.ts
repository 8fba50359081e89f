import { expect } from "chai";
import { resolveChain } from "#shared/agent-config/resolve-chain.ts";
import { showConfig } from "#shared/agent-config/show-config.ts";
import { DEFAULTS, failureOf, loadText } from "./config-fixture.ts";
import { MODERN_PROVIDER_NAMES, MODERN_PROVIDERS, MODERN_SKILLS, MODERN_TARSY } from "./modern-files.ts";

const ENV = { GOOGLE_API_KEY: "x", ANTHROPIC_API_KEY: "x" };
const load = (tarsy = MODERN_TARSY) => loadText(tarsy, MODERN_PROVIDERS, ENV, MODERN_SKILLS);

describe("files in the newest notation", () => {
  it("load, with one warning for each thing that is not built, or that another one replaces", async () => {
    const { warnings } = await load();
    const notYet = warnings.filter(({ message }) => message.includes("has no effect yet"));
    expect(notYet.map(({ path }) => path)).to.deep.equal([]);
    const others = warnings.filter((warning) => !notYet.includes(warning));
    expect(others.map(({ path, message }) => `${path}: ${message}`)).to.deep.equal([
      "system.allowed_ws_origins: is valid but has no effect, found a list; ALLOWED_ORIGINS, and for WebSockets alone WS_ALLOWED_ORIGINS, replace it",
      "queue.scoring_shutdown_timeout: is valid but has no effect, found 3m; a scoring that a stop interrupts goes on in another executor",
      "agent_chains.full.stages[2].synthesis: has no effect for a stage with one agent, found a mapping",
    ]);
  });

  it("may name every provider of theirs without writing it", async () => {
    const names = Object.keys(MODERN_PROVIDER_NAMES);
    const list = names.map((name) => `{provider: ${name}}`).join(", ");
    const keys = ["GOOGLE_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "XAI_API_KEY"];
    const places = ["GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"];
    const env = Object.fromEntries([...keys, ...places].map((name) => [name, "x"]));
    const config = await loadText(`${DEFAULTS}  fallback_providers: [${list}]\n`, undefined, env);
    const fallbacks = resolveChain(config, "kubernetes").stages[0]?.agents[0]?.fallback_providers ?? [];
    const known = fallbacks.map(({ name, type, model }) => [name, [type, model]]);
    expect(Object.fromEntries(known)).to.deep.equal(MODERN_PROVIDER_NAMES);
    for (const { name, type, api_key_env, native_tools } of fallbacks) {
      if (type !== "google") continue;
      expect(api_key_env).to.equal("GOOGLE_API_KEY");
      const url_context = name !== "google-image-flash";
      expect(native_tools).to.deep.equal({ google_search: true, code_execution: false, url_context });
    }
  });

  describe("without times of their own", () => {
    const untimed = MODERN_TARSY.replace("  session_timeout: 40m\n", "");
    const older = untimed.replaceAll(/,? *llm_backend: [\w-]+/gu, "").replaceAll(/^\s*\n/gmu, "");
    const timesOf = async (tarsy: string) => {
      const config = await load(tarsy);
      const agent = resolveChain(config, "Full").stages[0]?.agents[2];
      const shown = showConfig(config).matchAll(/^ +(?:session|iteration)_timeout: (.*)$/gmu);
      return {
        times: [config.queue.session_timeout_ms, agent?.iteration_timeout_ms].map(
          (ms) => Number(ms) / 60_000,
        ),
        shown: [...shown].map(([, value]) => value),
      };
    };

    it("give sessions 40 minutes and iterations 6, and show where these come from", async () => {
      const from = "built-in for files with llm_backend";
      expect(await timesOf(untimed)).to.deep.equal({
        times: [40, 6],
        shown: [`2400s # ${from}`, `360s # ${from}`],
      });
      expect((await load(untimed)).defaults.iteration_timeout_ms).to.equal(360_000);
    });

    for (const [place, text] of [
      ["the defaults", older.replace("defaults:\n", "defaults:\n  llm_backend: langchain\n")],
      ["an agent", older.replace("Thinker: {", "Thinker: {llm_backend: langchain, ")],
      ["a chain", older.replace("  full:\n", "  full:\n    llm_backend: google-native\n")],
      ["a stage", older.replace("- name: lead\n", "- name: lead\n        llm_backend: langchain\n")],
      ["a stage's agent", older.replace("{name: Searcher}", "{name: Searcher, llm_backend: langchain}")],
    ] as const) {
      it(`do so if ${place} names a backend`, async () => {
        expect((await timesOf(text)).times).to.deep.equal([40, 6]);
      });
    }

    it("keep each time that is written, and the usual ones without a backend", async () => {
      expect(
        (await timesOf(untimed.replace("queue:\n", "queue:\n  session_timeout: 10m\n"))).times,
      ).to.deep.equal([10, 6]);
      const written = untimed.replace("defaults:\n", "defaults:\n  iteration_timeout: 1m\n");
      const { times, shown } = await timesOf(written);
      expect(times).to.deep.equal([40, 1]);
      expect(shown[1]).to.match(/^60s # .*tarsy\.yaml:\d+$/u);
      expect(await timesOf(older)).to.deep.equal({
        times: [15, 2],
        shown: ["900s # built-in", "120s # built-in"],
      });
    });

    it("compare them with the time of a provider's calls", async () => {
      const slow = MODERN_PROVIDERS.replace("claude: {", "claude: {timeouts: {call: 30m}, ");
      const loading = (tarsy: string) => loadText(tarsy, slow, ENV, MODERN_SKILLS);
      expect((await loading(untimed)).queue.session_timeout_ms).to.equal(2_400_000);
      const { problems } = await failureOf(loading(older));
      expect(problems.map(({ path }) => path)).to.deep.equal(["queue.session_timeout"]);
    });
  });

  it("run agents with tools in a loop, with every provider, and others once", async () => {
    const [investigate, lead, fix] = resolveChain(await load(), "Full").stages;
    expect(
      investigate?.agents.map(({ name, iteration_strategy }) => [name, iteration_strategy]),
    ).to.deep.equal([
      ["Investigator", "native-thinking"],
      ["Searcher", "native-thinking"],
      ["Thinker", "single-call"],
    ]);
    expect(investigate?.synthesis).to.include({ name: "Commander", iteration_strategy: "synthesis" });
    expect(lead?.agents[0]).to.deep.include({
      iteration_strategy: "native-thinking",
      mcp_servers: ["metrics"],
    });
    expect(fix?.agents[0]).to.deep.include({ iteration_strategy: "native-thinking", type: "action" });
  });

  it("run an agent without tools in a loop if the alert selects servers for it", async () => {
    const [investigate] = resolveChain(await load(), "Full", true).stages;
    expect(investigate?.agents[2]?.iteration_strategy).to.equal("native-thinking");
    expect(investigate?.synthesis?.iteration_strategy).to.equal("synthesis");
  });

  it("keep a written strategy, which goes before the type, which goes before the defaults", async () => {
    const text = MODERN_TARSY.replace(
      "  llm_provider: gemini\n",
      "  llm_provider: gemini\n  iteration_strategy: react\n",
    );
    const strategies = async (tarsy: string) => {
      const { agents = [], synthesis } = resolveChain(await load(tarsy), "Full", true).stages[0] ?? {};
      return [...agents, ...(synthesis ? [synthesis] : [])].map(
        ({ iteration_strategy: strategy }) => strategy,
      );
    };
    expect(await strategies(text)).to.deep.equal(["react", "react", "react", "synthesis"]);
    const written = text.replace("{type: synthesis}", "{type: synthesis, iteration_strategy: single-call}");
    expect((await strategies(written)).at(-1)).to.equal("single-call");
  });

  it("name backends from the nearest level, and use the provider's own where it has no other", async () => {
    const [investigate] = resolveChain(await load(), "Full").stages;
    const backends = [...(investigate?.agents ?? []), investigate?.synthesis].map(
      (agent) => agent?.llm_provider.backend,
    );
    expect(backends).to.deep.equal(["langchain", "google-native", "google-native", "google-native"]);
    const [analysis] = resolveChain(await load(), "kubernetes").stages;
    expect(analysis?.agents[0]?.llm_provider).to.include({ name: "gemini", backend: "langchain" });
    const elsewhere = MODERN_TARSY.replace(
      "llm_provider: claude, llm_backend: langchain, skills",
      "llm_provider: claude, skills",
    );
    const config = await load(elsewhere);
    expect(resolveChain(config, "Full").stages[0]?.agents[0]?.llm_provider.backend).to.equal("langchain");
    expect(config.warnings.map(({ path }) => path)).to.include("agent_chains.full.llm_backend");
  });

  it("are shown with the level that each backend comes from", async () => {
    const shown = showConfig(await load());
    const [, resolved = ""] = shown.split("\nresolved:");
    const backends = [...resolved.matchAll(/llm_backend: (.*)/gu)].map(([, backend]) => backend);
    expect(backends.slice(0, 4)).to.deep.equal([
      "langchain # agent",
      "langchain # stage agent",
      "google-native # chain",
      "google-native # chain",
    ]);
    expect(showConfig(await loadText(DEFAULTS))).not.to.include("llm_backend: undefined");
  });

  it("switch native tools by agent over the provider's, and give providers a limit for tool results", async () => {
    const [investigate] = resolveChain(await load(), "Full").stages;
    const [claude, gemini] = (investigate?.agents ?? []).map(({ llm_provider }) => llm_provider);
    expect(gemini?.native_tools).to.deep.equal({
      google_search: true,
      url_context: true,
      code_execution: false,
    });
    expect(claude?.native_tools).to.deep.equal({});
    expect([claude?.max_tool_result_tokens, gemini?.max_tool_result_tokens]).to.deep.equal([
      100_000, 100_000,
    ]);
  });

  it("let a chain name who writes its executive summary, and its runbook", async () => {
    const config = await load(
      MODERN_TARSY.replace(
        "  kubernetes-agent-chain:\n",
        "  kubernetes-agent-chain:\n    runbook: Look twice.\n",
      ).replace("  llm_provider: gemini\n", "  llm_provider: gemini\n  executive_summary_provider: gemini\n"),
    );
    const [full, small] = [resolveChain(config, "Full"), resolveChain(config, "kubernetes")];
    expect(full.executive_summary?.llm_provider.name).to.equal("claude");
    expect(full.executive_summary).not.to.have.property("fallback_providers");
    expect(small.executive_summary?.llm_provider.name).to.equal("gemini");
    expect(small.executive_summary?.fallback_providers?.map(({ name }) => name)).to.deep.equal(["claude"]);
    expect(small.default_runbook).to.equal("Look twice.");
    expect(resolveChain(await load(), "kubernetes")).not.to.have.property("executive_summary");
  });
});
