import { expect } from "chai";
import { formatProblem } from "#shared/agent-config/config-problem.ts";
import { loadText, NOW } from "./config-fixture.ts";

const ENV = { GOOGLE_API_KEY: "x", ANTHROPIC_API_KEY: "x", OPENAI_API_KEY: "x" };
const PROVIDERS = `llm_providers:
  old:
    type: google
    api_key_env: GOOGLE_API_KEY
    model: gemini-2.5-pro
  gone: {type: anthropic, model: claude-sonnet-4-20250514, api_key_env: ANTHROPIC_API_KEY}
  proxied: {type: google, model: gemini-2.5-pro, base_url: "https://proxy.example.com"}
  new: {type: google, model: gemini-3.7-flash, api_key_env: GOOGLE_API_KEY}
`;

/** The warnings of a configuration with this `tarsy.yaml`, without directories. */
async function warningsOf(tarsy: string, now = NOW): Promise<string[]> {
  const { warnings } = await loadText(tarsy, PROVIDERS, ENV, {}, now);
  return warnings.map((warning) => formatProblem(warning).replaceAll(/\/\S*\//gu, ""));
}
const chain = (settings: string) => `defaults: {llm_provider: new}
agents: {Helper: {description: Helps}}
agent_chains:
  c:
    alert_types: [a]
    ${settings}
    stages: [{name: s, agents: [{name: KubernetesAgent, sub_agents: [{name: Helper}]}]}]
`;
const OLD =
  "llm-providers.yaml:5:12: warning: llm_providers.old.model: retires on 2026-12-01 (in 5 days), found gemini-2.5-pro; write gemini-3.8-flash";
const GONE =
  "llm-providers.yaml:6:34: warning: llm_providers.gone.model: was retired on 2026-06-15, found claude-sonnet-4-20250514; write claude-sonnet-5";

describe("models that retire", () => {
  it("are warned of where an entry writes them, from 60 days before on", async () => {
    expect(await warningsOf("defaults: {llm_provider: old}\n")).to.deep.equal([OLD]);
    expect(await warningsOf("defaults: {llm_provider: gone}\n")).to.deep.equal([GONE]);
    expect(
      await warningsOf("defaults: {llm_provider: old}\n", new Date("2026-10-01T12:00:00Z")),
    ).to.deep.equal([]);
    const [after] = await warningsOf("defaults: {llm_provider: old}\n", new Date("2026-12-01T00:00:00Z"));
    expect(after).to.include("was retired on 2026-12-01, found gemini-2.5-pro");
  });

  it("are warned of where a built-in provider is named", async () => {
    expect(await warningsOf("defaults:\n  llm_provider: gemini-2.5-flash\n")).to.deep.equal([
      "tarsy.yaml:2:17: warning: defaults.llm_provider: has the model gemini-2.5-flash, which retires on 2026-12-01 (in 5 days), found gemini-2.5-flash; name another provider, or write an entry gemini-2.5-flash with gemini-3.5-flash-lite into llm-providers.yaml",
    ]);
  });

  for (const [place, tarsy] of [
    ["a chain", chain("llm_provider: old")],
    ["a fallback", chain("fallback_providers: [{provider: old}]")],
    ["a judge", chain("scoring: {enabled: true, llm_provider: old}")],
    ["a chat", chain("chat: {llm_provider: old}")],
    ["a summary", chain("executive_summary_provider: old")],
    ["an agent", chain("").replace("KubernetesAgent,", "KubernetesAgent, llm_provider: old,")],
    ["a sub-agent", chain("").replace("{name: Helper}", "{name: Helper, llm_provider: old}")],
    ["a chain beside the defaults", chain("llm_provider: new").replace("provider: new}", "provider: old}")],
  ] as const) {
    it(`are warned of once when ${place} names the provider`, async () => {
      expect(await warningsOf(tarsy)).to.deep.equal([OLD]);
    });
  }

  it("are not warned of where nothing names the provider, at an address of one's own, and in a chat that is off", async () => {
    expect(await warningsOf(chain(""))).to.deep.equal([]);
    expect(await warningsOf(chain("llm_provider: proxied"))).to.deep.equal([]);
    expect(await warningsOf(chain("chat: {enabled: false, llm_provider: old}"))).to.deep.equal([]);
  });
});
