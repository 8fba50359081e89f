import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { ApiFixture } from "./api-fixture.ts";

const TOKEN = "bearer-token-nobody-may-see";
/** Each looks like a token, whatever the key. */
const TOKENS = [
  `ghp_${"a1B2c3D4e5F6".repeat(3)}`,
  "sk-live-9f8e7d6c5b4a",
  "a8F3kL9qZ2xW7vB4nM6pR1tY5uI0oEsD",
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijklmnop",
  "7f8e2b1c9d7a6e5f3b2c1d0e9f8a7b6c",
  "0f8fad5b-d9cb-469f-a165-70867728950e",
];
const DIGEST = `ghcr.io/example/server@sha256:${"7f8e2b1c".repeat(8)}`;
const PERIODS = [
  { end: "2020-01-01" },
  { start: "2020-01-01", end: "9998-01-01T00:00:00Z" },
  { start: "9998-01-01" },
];

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
              ...Object.fromEntries(
                TOKENS.map((token, at) => [
                  `token-${at}`,
                  { transport: { type: "stdio", command: token, args: ["serve", token], env: { A: token } } },
                ]),
              ),
              far: {
                transport: {
                  type: "http",
                  url: `https://metrics.example/mcp/${TOKENS[4]}/sse`,
                  session_cleanup_url: `https://metrics.example/${TOKENS[0]}`,
                },
              },
              plain: {
                transport: {
                  type: "stdio",
                  command: "/opt/bin/plain-mcp-server",
                  args: ["-y", "plain@0.1.2", DIGEST],
                },
              },
            },
            agents: { TestAgent: { mcp_servers: ["metrics"] }, Other: { description: "Other" } },
            agent_chains: {
              "kubernetes-agent-chain": {
                alert_types: ["kubernetes"],
                stages: [{ name: "analysis", agents: [{ name: "TestAgent" }] }],
              },
              "test-chain": {
                alert_types: ["test"],
                fallback_providers: [{ provider: "scripted" }],
                chat: {},
                scoring: {},
                stages: [{ name: "look", agents: [{ name: "TestAgent", sub_agents: ["Other"] }] }],
              },
            },
            system: {
              slack: {},
              cost_estimation: {
                model_rates: { m: { input_per_million: 1, output_per_million: 2 } },
                promotions: PERIODS.map((period) => ({
                  model: "m",
                  input_per_million: 0,
                  output_per_million: 0,
                  ...period,
                })),
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
    expect(body["queue"]).to.include({ worker_count: 5, session_timeout: "15m0s", poll_interval: "1s" });
    expect(body["system"]).to.deep.include({ allowed_ws_origins: [], slack: { enabled: false } });
    expect(body).to.have.nested.property("system.cost_estimation.enabled", true);
    expect(body).to.have.nested.property("system.cost_estimation.model_rates.m.output_per_million", 2);
    expect(body).to.have.nested.property("system.cost_estimation.catalog.source", "snapshot");
    expect(body)
      .to.have.nested.property("system.cost_estimation.catalog.entry_count")
      .that.is.greaterThan(50);
    for (const [at, state] of ["expired", "active", "upcoming"].entries()) {
      expect(body).to.have.nested.property(`system.cost_estimation.promotions[${at}].status`, state);
    }
    expect(body).to.have.nested.property(
      "system.cost_estimation.promotions[0].end",
      "2020-01-01T00:00:00.000Z",
    );
    expect(body).to.have.nested.property("chains.test-chain.chat.enabled", true);
    expect(body).to.have.nested.property("chains.test-chain.scoring.enabled", false);
    expect(body).to.have.nested.property("chains.test-chain.fallback_providers[0].backend", "scripted");
    expect(body).to.have.nested.property("chains.test-chain.stages[0].agents[0].sub_agents[0].name", "Other");
    expect(body).to.have.nested.property("agents.KubernetesAgent").that.includes({ skills: null });
    expect(body).to.have.nested.property("chains.test-chain.alert_types").that.deep.equals(["test"]);
    expect(body)
      .to.have.nested.property("mcp_servers.metrics.transport")
      .that.deep.equals({
        type: "http",
        url: "https://[redacted]@metrics.example/mcp",
        custom_header_keys: ["x-tenant"],
        bearer_token_set: true,
      });
    expect(JSON.stringify(body)).to.not.include(TOKEN).and.not.include("acme");
  });

  it("shows nothing in a server's settings that looks like a token, in any view", async () => {
    for (const view of ["name", "file"]) {
      const { status, body } = await api.client.request("GET", `/api/v1/system/config?view=${view}`);
      expect(status).to.equal(200);
      for (const token of TOKENS) expect(JSON.stringify(body)).to.not.include(token);
      const at = "mcp_servers.plain.transport";
      expect(body).to.have.nested.property(`${at}.command`, "/opt/bin/plain-mcp-server");
      expect(body).to.have.nested.property(`${at}.args`).that.deep.equals(["-y", "plain@0.1.2", DIGEST]);
      expect(body).to.have.nested.property(
        "mcp_servers.far.transport.url",
        "https://metrics.example/mcp/[redacted]/sse",
      );
    }
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
