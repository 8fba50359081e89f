import { expect } from "chai";
import { ApiFixture } from "./api-fixture.ts";

const TOKEN = "bearer-token-nobody-may-see";

describe("the api's configuration routes", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;

  before(async () => {
    api = resources.use(
      await ApiFixture.start({
        config: {
          tarsy: {
            mcp_servers: {
              metrics: {
                transport: { type: "http", url: "https://user:pw@metrics.example/mcp", bearer_token: TOKEN },
              },
            },
          },
        },
      }),
    );
  });
  after(() => resources.disposeAsync());

  it("lists the alert types, sorted, with their chains and the default", async () => {
    expect(await api.client.request("GET", "/api/v1/alert-types")).to.deep.equal({
      status: 200,
      body: {
        alert_types: [
          { alert_type: "kubernetes", chain_id: "kubernetes-agent-chain", description: "" },
          { alert_type: "test", chain_id: "test-chain", description: "" },
        ],
        default_alert_type: "test",
      },
    });
  });

  it("shows the effective configuration with built-ins and defaults, without a secret", async () => {
    const { status, body } = await api.client.request("GET", "/api/v1/system/config");
    expect(status).to.equal(200);
    expect(body).to.have.all.keys(
      "queue",
      "defaults",
      "mcp_servers",
      "agents",
      "agent_chains",
      "llm_providers",
    );
    expect(body["queue"]).to.include({ worker_count: 5, max_parallel_agents: 5, session_timeout: "900s" });
    expect(body["agents"]).to.include.keys("TestAgent", "KubernetesAgent");
    expect(JSON.stringify(body["mcp_servers"])).to.include("[redacted]").and.not.include("user:pw");
    expect(JSON.stringify(body)).to.not.include(TOKEN);
  });
});
