import { expect } from "chai";
import { hashProvider } from "#shared/contracts/provider-hash.ts";
import { parseResolvedChain, storedChain } from "#shared/contracts/resolved-chain.ts";
import { resolveChain } from "#shared/agent-config/resolve-chain.ts";
import { showConfig } from "#shared/agent-config/show-config.ts";
import { SCRIPTED, failureOf, loadText } from "./config-fixture.ts";

const uses = (name: string) => `defaults: {llm_provider: ${name}}\n`;
const LIMIT = "max_tool_result_tokens: 1000";
const BEDROCK = `${SCRIPTED}  p: {type: bedrock, model: m, ${LIMIT}, region: eu-west-1, access_key_id_env: A, secret_access_key_env: B}\n`;

describe("types of providers", () => {
  it("have a default for the variable of the key, only without a base_url", async () => {
    for (const type of ["mistral", "groq", "openrouter", "deepseek"]) {
      const variable = `${type.toUpperCase()}_API_KEY`;
      const entry = `${SCRIPTED}  p: {type: ${type}, model: m, ${LIMIT}}\n`;
      const config = await loadText(uses("p"), entry, { [variable]: "k" });
      expect(config.llmProviders.get("p")?.api_key_env).to.equal(variable);
      const error = await failureOf(loadText(uses("p"), entry));
      expect(error.message).to.contain(`needs ${variable} to be set`);
      const proxied = await loadText(uses("p"), entry.replace(LIMIT, `${LIMIT}, base_url: "http://x"`));
      expect(proxied.llmProviders.get("p")).not.to.have.property("api_key_env");
      const builtIn = await failureOf(loadText(uses(`${type}-default`), SCRIPTED));
      expect(builtIn.message).to.contain(`needs ${variable} to be set`);
    }
  });

  it("are stored with their settings", async () => {
    const config = await loadText(uses("p"), BEDROCK, { A: "x", B: "hush" });
    const chain = resolveChain(config, undefined);
    const stored = chain.stages[0]?.agents[0]?.llm_provider;
    expect(stored).to.deep.include({
      type: "bedrock",
      backend: "langchain",
      region: "eu-west-1",
      access_key_id_env: "A",
      secret_access_key_env: "B",
    });
    expect(JSON.stringify(chain)).not.to.contain("hush");
    expect(parseResolvedChain(JSON.parse(JSON.stringify(storedChain(chain))))).to.deep.equal(chain);
    const entry = config.llmProviders.get("p");
    expect(entry && stored && hashProvider(entry) === hashProvider(stored)).to.equal(true);
    expect(showConfig(config)).to.contain("region: eu-west-1").and.not.to.contain("hush");
  });

  it("warn of settings of another type", async () => {
    const entry = `${SCRIPTED}  p: {type: openai, model: m, ${LIMIT}, deployment: d, machine_credentials: true}\n`;
    const { warnings } = await loadText(uses("test"), entry);
    expect(warnings.map(({ message }) => message.split(",")[0])).to.deep.equal([
      "has an effect for provider type azure only",
      "has an effect for provider type bedrock and azure only",
    ]);
  });

  it("require the variables of each credential that a used entry names", async () => {
    const error = await failureOf(loadText(uses("p"), BEDROCK, { A: "x" }));
    expect(error.problems.map(({ path }) => path)).to.deep.equal(["llm_providers.p.secret_access_key_env"]);
    await loadText(
      uses("p"),
      `${SCRIPTED}  p: {type: bedrock, model: m, ${LIMIT}, location_env: L, machine_credentials: true}\n`,
      { L: "eu-west-1" },
    );
  });
});
