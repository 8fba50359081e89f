import { randomUUID } from "node:crypto";
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
                transport: {
                  type: "http",
                  url: "https://user:pw@metrics.example/mcp",
                  bearer_token: TOKEN,
                  custom_headers: { "x-tenant": "acme" },
                },
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
          {
            type: "kubernetes",
            alert_type: "kubernetes",
            chain_id: "kubernetes-agent-chain",
            description: "",
          },
          { type: "test", alert_type: "test", chain_id: "test-chain", description: "" },
        ],
        default_chain_id: "test-chain",
        default_alert_type: "test",
      },
    });
  });

  it("shows the effective configuration by name, with names of variables and headers only", async () => {
    const { status, body } = await api.client.request("GET", "/api/v1/system/config");
    expect(status).to.equal(200);
    expect(body).to.have.all.keys(
      "defaults",
      "queue",
      "system",
      "agents",
      "chains",
      "mcp_servers",
      "llm_providers",
      "skills",
    );
    expect(body["queue"]).to.include({ worker_count: 5, session_timeout: "15m0s" });
    expect(body["system"]).to.deep.include({ allowed_ws_origins: [] });
    expect(body).to.have.nested.property("agents.KubernetesAgent").that.includes({ skills: null });
    expect(body).to.have.nested.property("chains.test-chain.alert_types").that.deep.equals(["test"]);
    expect(body)
      .to.have.nested.property("mcp_servers.metrics.transport")
      .that.deep.equals({
        type: "http",
        url: "https://[redacted]@metrics.example/mcp",
        header_keys: ["x-tenant"],
        bearer_token_set: true,
      });
    expect(JSON.stringify(body)).to.not.include(TOKEN).and.not.include("acme");
  });

  it("has empty lists and 404 for what is not built, and names a wrong view", async () => {
    const id = await api.client.submit("x");
    for (const path of ["runbooks", `sessions/${id}/memories`, `sessions/${id}/injected-memories`]) {
      expect(await api.raw("GET", `/api/v1/${path}`), path).to.include({ status: 200, text: "[]" });
    }
    for (const path of [
      `sessions/${id}/score`,
      "system/config/skills/x",
      `sessions/${randomUUID()}/memories`,
    ]) {
      expect((await api.raw("GET", `/api/v1/${path}`)).status, path).to.equal(404);
    }
    const wrong = await api.client.request("GET", "/api/v1/system/config?view=x");
    expect(wrong).to.deep.include({ status: 400 });
    expect(wrong.body["allowed"]).to.deep.equal(["name", "file"]);
  });

  it("shows it under the keys of the files on request, with built-ins and defaults, without a secret", async () => {
    const { status, body } = await api.client.request("GET", "/api/v1/system/config?view=file");
    expect(status).to.equal(200);
    expect(body).to.have.all.keys(
      "system",
      "queue",
      "system",
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
