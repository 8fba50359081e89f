import { expect } from "chai";
import { resolveChain } from "#shared/agent-config/resolve-chain.ts";
import { resolveChat } from "#shared/agent-config/resolve-chat.ts";
import { resolveScoring } from "#shared/agent-config/resolve-scoring.ts";
import { showConfig } from "#shared/agent-config/show-config.ts";
import type { ResolvedAgent } from "#shared/contracts/resolved-chain.ts";
import { loadText } from "./config-fixture.ts";

const PROVIDERS = `llm_providers:
  gemini: {type: google, model: gemini-3.7-flash, api_key_env: KEY}
  spare: {type: google, model: gemini-3.8-flash, api_key_env: KEY, native_tools: {google_search: false}}
  claude: {type: anthropic, model: claude-sonnet-5, api_key_env: KEY}
  vertex: {type: vertexai, model: gemini-3.7-flash, project_env: KEY, location_env: KEY}
`;
const LIST =
  "fallback_providers: [{provider: claude}, {provider: spare, backend: langchain}, {provider: vertex}]";
const ALL = ["claude", "spare", "vertex"];
const load = (file: string) => loadText(file, PROVIDERS, { KEY: "x" });

/** A chain whose first agent searches the web and whose second one does not, with the list at one level. */
function tarsy(level: "agent" | "stage" | "chain" | "defaults"): string {
  const at = (here: typeof level, text = `, ${LIST}`) => (level === here ? text : "");
  return `defaults: {llm_provider: gemini${at("defaults")}}
agents:
  Plain: {description: Plain, native_tools: {google_search: false}}
  Combiner: {native_tools: {code_execution: true}}
agent_chains:
  c:
    alert_types: [a]
    chat: {agent: CodeExecutor}
    sub_agents: [WebResearcher, Plain]
    ${at("chain", LIST)}
    stages:
      - name: s
        ${at("stage", LIST)}
        synthesis: {agent: Combiner}
        agents: [{name: WebResearcher${at("agent")}}, {name: Plain${at("agent")}}]
`;
}

const names = (agent: Omit<ResolvedAgent, "sub_agents"> | undefined) =>
  (agent?.fallback_providers ?? []).map(({ name }) => name);

describe("an agent with native tools", () => {
  for (const level of ["agent", "stage", "chain", "defaults"] as const) {
    it(`has no fallback provider without them, with a list of the ${level}`, async () => {
      const config = await load(tarsy(level));
      const { agents = [], synthesis } = resolveChain(config, "a").stages[0] ?? {};
      expect(agents.map(names)).to.deep.equal([["spare"], ALL]);
      expect(agents[0]?.fallback_providers?.[0]?.native_tools).to.include({ google_search: true });
      const isWide = level === "chain" || level === "defaults";
      expect(names(synthesis)).to.deep.equal(isWide ? ["spare"] : []);
      expect((agents[1]?.sub_agents ?? []).map(names)).to.deep.equal(isWide ? [["spare"], ALL] : [[], []]);
      const chat = resolveChat(config, { chainId: "c", alertType: "a" }, false);
      expect(names(chat?.stages[0]?.agents[0])).to.deep.equal(isWide ? ["spare"] : []);
      const chain = config.chains.get("c");
      if (chain === undefined) throw new Error("no chain");
      // A judge has no native tools.
      expect(names(resolveScoring(config, chain))).to.deep.equal(isWide ? ALL : []);
    });
  }

  it("is named in a warning at each entry of the list that it passes over, with the tools", async () => {
    const { warnings } = await load(tarsy("chain"));
    const [first, ...others] = warnings.map(({ path, message }) => `${path}: ${message}`);
    expect(first).to.equal(
      "agent_chains.c.fallback_providers[0].provider: never takes over from agent WebResearcher, because it lacks the native tools google_search, url_context, found claude; only providers of type google have them",
    );
    const agents = others.map((text) =>
      /(\d)\]\.provider: never takes over from agent (\w+)/u.exec(text)?.slice(1),
    );
    expect(agents).to.have.deep.members([
      ["0", "Combiner"],
      ["0", "CodeExecutor"],
      ["2", "WebResearcher"],
      ["2", "Combiner"],
      ["2", "CodeExecutor"],
    ]);
  });

  it("is shown with the providers that can take over", async () => {
    const [, resolved = ""] = showConfig(await load(tarsy("stage"))).split("\nresolved:");
    const [, searcher = "", plain = ""] = resolved.split(/- name: (?:WebResearcher|Plain)/u);
    expect(searcher).not.to.include("provider: claude");
    expect(searcher).to.include("provider: spare # stage");
    expect(plain).to.include("provider: claude # stage");
  });
});
