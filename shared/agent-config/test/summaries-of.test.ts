import { expect } from "chai";
import { parseResolvedChain, storedChain, type ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { providerLists } from "#shared/agent-config/providers-of-chain.ts";
import { resolveChain } from "#shared/agent-config/resolve-chain.ts";
import { loadText } from "./config-fixture.ts";

describe("resolveChain", () => {
  it("says of each server whether its large results are summarized, how long, and by whom", async () => {
    const providers = ["one", "two"].map(
      (name) => `  ${name}: {type: google, model: m, max_tool_result_tokens: 1000, api_key_env: K}\n`,
    );
    const server = (id: string, block: string) =>
      `  ${id}: {transport: {type: stdio, command: x}${block === "" ? "" : `, summarization: ${block}`}}\n`;
    const servers = [
      server("plain", ""),
      server("off", "{enabled: false, size_threshold_tokens: 300}"),
      server("unset", "{}"),
      server("on", "{enabled: true, size_threshold_tokens: 400, summary_max_token_limit: 0}"),
      server("own", "{summary_max_token_limit: 70, llm_provider: two, llm_backend: langchain}"),
    ];
    const load = async (defaults: string) =>
      resolveChain(
        await loadText(
          `defaults: {llm_provider: one${defaults}}\nmcp_servers:\n${servers.join("")}agents: {A: {mcp_servers: [plain, off, unset, on, own]}}\nagent_chains: {c: {alert_types: [a], stages: [{name: s, agents: [{name: A}]}]}}\n`,
          `llm_providers:\n${providers.join("")}`,
          { K: "x" },
        ),
        "a",
      );
    const shown = ({ mcp_server_summaries: summaries = {} }: ResolvedChain) =>
      Object.entries(summaries).map(([id, { threshold_tokens, max_tokens, llm_provider }]) =>
        [id, threshold_tokens, max_tokens, llm_provider?.name, llm_provider?.backend].join(" "),
      );
    expect(shown(await load(""))).to.deep.equal([
      "on 400 400  ",
      "own 5000 70 two langchain",
      "unset 5000 1000  ",
    ]);
    const chain = await load(", summarization: {llm_provider: two}");
    expect(shown(chain)).to.deep.equal([
      "on 400 400 two google-native",
      "own 5000 70 two langchain",
      "unset 5000 1000 two google-native",
    ]);
    expect(parseResolvedChain(JSON.parse(JSON.stringify(storedChain(chain))))).to.deep.equal(chain);
  });

  it("names among the providers in use those that write summaries", async () => {
    const server = (name: string) =>
      `  ${name}: {transport: {type: stdio, command: x}, summarization: {llm_provider: small}}\n`;
    const config = await loadText(
      `defaults: {llm_provider: test, alert_type: a}\nmcp_servers:\n${server("one")}${server("two")}agents: {A: {}}\nagent_chains: {c: {alert_types: [a], stages: [{name: s, agents: [{name: A}]}]}}\n`,
      "llm_providers:\n  small: {type: scripted, script: s.yaml}\n  test: {type: scripted, script: s.yaml}\n",
    );
    expect(providerLists(config).slice(-2)).to.deep.equal([["test"], ["small"]]);
  });
});
