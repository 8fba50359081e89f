import { expect } from "chai";
import { parseResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { ApiFixture, KEY_ACCESS } from "./api-fixture.ts";

const stages = [{ name: "look", agents: [{ name: "Priced" }] }];
const CONFIG = {
  tarsy: {
    defaults: { llm_provider: "priced", alert_type: "test" },
    mcp_servers: { k8s: { transport: { type: "stdio", command: "true" } } },
    agents: { Priced: { mcp_servers: ["k8s"], iteration_strategy: "native-thinking" } },
    agent_chains: { plain: { alert_types: ["test"], priority: "low", stages } },
    system: {
      cost_estimation: { model_rates: { "acme-7b": { input_per_million: 2.5, output_per_million: 10 } } },
    },
  },
  providers: {
    llm_providers: {
      priced: {
        type: "openai",
        model: "acme-7b",
        base_url: "http://127.0.0.1:1/v1",
        max_tool_result_tokens: 10_000,
      },
    },
  },
};

describe("POST /api/v1/alerts/preview", () => {
  it("answers with what an alert would start, for operators, and stores nothing", async () => {
    await using api = await ApiFixture.start({ config: CONFIG, env: KEY_ACCESS });
    const preview = async (body: object, role: "operator" | "submitter" = "operator") => {
      const headers = { "content-type": "application/json", ...(await api.keyOf("ann", [role])) };
      const answer = await api.raw("POST", "/api/v1/alerts/preview", {
        body: Buffer.from(JSON.stringify(body)),
        headers,
      });
      const decoded: unknown = JSON.parse(answer.text);
      return { status: answer.status, body: decoded };
    };
    const { status, body } = await preview({ data: "full, password=Xy12pw34" });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.deep.include({
      alert_type: "test",
      is_default: true,
      chain_id: "plain",
      priority: "low",
      prices: [{ provider: "priced", input_usd_per_million_tokens: 2.5, source: "override" }],
    });
    expect(JSON.stringify(body)).not.to.include("Xy12pw34");
    expect(parseResolvedChain(Reflect.get(Object(body), "chain")).stages).to.have.length(1);
    expect(body).to.have.nested.property("listing.failed[0].server", "k8s");
    expect((await preview({ data: "x" }, "submitter")).status).to.equal(403);
    expect((await preview({ data: "x", alert_type: "odd" })).status).to.equal(400);
    const asked = await preview({ data: "x", alert_type: "test", priority: "critical" });
    expect(asked.body).to.include({ is_default: false, priority: "critical" });
    expect(await api.servers.query("SELECT 1 FROM alert_sessions", [])).to.deep.equal([]);
  });
});
