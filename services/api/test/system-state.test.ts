import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { until } from "../../../test/support/until.ts";
import { ApiFixture } from "./api-fixture.ts";

const INSERT = `
INSERT INTO mcp_server_states (server, runner, host, state, era, version, tools, error_code, error, last_check_at,
                               last_error_at, since, seen_at)
VALUES ($1, $2, $3, $4, 'legacy', 'test 1', $5, $6, $7, '2026-11-01T10:00:00Z', NULL, '2026-11-01T09:00:00Z',
        now() - make_interval(secs => $8))`;

const parseServers = compileParser(
  "servers",
  Type.Object({ servers: Type.Array(Type.Record(Type.String(), Type.Unknown())) }),
);
const parseWarnings = compileParser(
  "warnings",
  Type.Object({ warnings: Type.Array(Type.Record(Type.String(), Type.String())) }),
);

const TRANSPORT = { transport: { type: "http", url: "http://mcp.example/mcp" } };
const stages = (mcp_servers: readonly string[]) => [
  { name: "analysis", agents: [{ name: "TestAgent", mcp_servers }] },
];
/** Two agents, whose results the built-in synthesis agent combines, which names a server in its definition. */
const synthesized = [
  { name: "analysis", replicas: 2, agents: [{ name: "TestAgent", mcp_servers: ["zeta"] }] },
];

describe("the api's routes about MCP servers", () => {
  const resources = new AsyncDisposableStack();
  const runners = [randomUUID(), randomUUID(), randomUUID()];
  let api: ApiFixture;

  before(async () => {
    api = resources.use(
      await ApiFixture.start({
        config: {
          tarsy: {
            mcp_servers: { zeta: TRANSPORT, alpha: TRANSPORT, gone: TRANSPORT },
            agent_chains: {
              "test-chain": { alert_types: ["test"], stages: stages(["zeta", "alpha"]) },
              parallel: { alert_types: ["parallel"], stages: synthesized },
              bare: { alert_types: ["bare"], stages: stages([]) },
              "kubernetes-agent-chain": { alert_types: ["kubernetes"], stages: stages([]) },
            },
          },
        },
      }),
    );
  });
  after(() => resources.disposeAsync());
  // Killed tool-runners of other tests may have left some.
  beforeEach(() => api.db.query("DELETE FROM mcp_server_states"));

  const put = async (
    server: string,
    runner: number,
    state: string,
    {
      error = null,
      seconds = 0,
      tools = [],
    }: { error?: string | null; seconds?: number; tools?: object[] } = {},
  ) => {
    const code = error === null ? null : "unreachable";
    await api.db.query(INSERT, [
      server,
      runners[runner],
      `host-${runner}`,
      state,
      JSON.stringify(tools),
      code,
      error,
      seconds,
    ]);
  };
  /** Reads are kept for 2 s. */
  const answer = async <T>(path: string, read: (body: unknown) => T | undefined): Promise<T> =>
    until(path, async () => read((await api.client.request("GET", path)).body));

  it("put together what the live tool-runners know", async () => {
    const tools = [{ name: "get", description: "Gets", effect: "read", effect_known: true }];
    await put("alpha", 0, "healthy", { tools });
    await put("alpha", 1, "down", { error: "no route to host" });
    await put("alpha", 2, "healthy", { seconds: 120 });
    await put("zeta", 0, "down", { error: "refused" });
    await put("kubernetes-server", 0, "misconfigured", { error: "KUBECONFIG is not set" });
    const servers = await answer("/api/v1/system/mcp-servers", (body) => {
      const found = parseServers(body).servers;
      return found.some(({ id, state }) => id === "zeta" && state === "down") ? found : undefined;
    });
    expect(
      servers.map(({ id, state, healthy }) => `${String(id)} ${String(state)} ${String(healthy)}`),
    ).to.deep.equal([
      "alpha degraded false",
      "gone unused true",
      "kubernetes-server unused true",
      "zeta down false",
    ]);
    expect(servers[0]).to.deep.equal({
      id: "alpha",
      healthy: false,
      state: "degraded",
      last_check: "2026-11-01T10:00:00.000Z",
      tool_count: 1,
      tools,
      error: "no route to host",
      last_error_at: null,
      era: "legacy",
      version: "test 1",
      runners: [
        {
          id: runners[0],
          host: "host-0",
          state: "healthy",
          last_check: "2026-11-01T10:00:00.000Z",
          error_code: null,
          error: null,
          last_error_at: null,
        },
        {
          id: runners[1],
          host: "host-1",
          state: "down",
          last_check: "2026-11-01T10:00:00.000Z",
          error_code: "unreachable",
          error: "no route to host",
          last_error_at: null,
        },
      ],
    });
    const warnings = await answer("/api/v1/system/warnings", (body) => parseWarnings(body).warnings);
    expect(warnings.map(({ id, message }) => `${id}: ${message}`)).to.deep.equal([
      "llm:scripted: demo mode: no LLM is configured, a script answers",
      "mcp_health:alpha: MCP server alpha cannot be used on 1 of 2 tool-runners",
      "mcp_health:zeta: MCP server zeta cannot be used",
    ]);
    expect(warnings[2]).to.include({
      category: "mcp_health",
      details: "refused",
      server_id: "zeta",
      created_at: "2026-11-01T09:00:00.000Z",
    });
  });

  it("warn of settings that are incomplete, of tools with unknown effects, and of missing tool-runners", async () => {
    const unknown = Array.from({ length: 12 }, (_, n) => ({
      name: `t${n}`,
      description: "",
      effect_known: false,
    }));
    const asked = { name: "restart", description: "", effect_known: false, needs_approval: true };
    const ids = async (last: string) =>
      answer("/api/v1/system/warnings", (body) => {
        const { warnings } = parseWarnings(body);
        return warnings.at(-1)?.["id"] === last ? warnings : undefined;
      });
    const [, none] = await ids("mcp_health:no-runner");
    expect(none?.["message"]).to.equal("no tool-runner is running");
    await put("alpha", 0, "misconfigured", { error: "TOKEN is not set" });
    await put("zeta", 0, "healthy", { tools: [...unknown, asked] });
    const [, misconfigured, effects] = await ids("mcp_effects:zeta");
    expect(misconfigured).to.include({ category: "mcp_configuration", details: "TOKEN is not set" });
    expect(effects?.["message"]).to.contain("12 tools of MCP server zeta without a declared effect");
    expect(effects?.["details"]).to.contain("t9 and 2 more");
  });

  it("name the tools that an alert gets by default", async () => {
    const defaults = async (query: string) =>
      api.client.request("GET", `/api/v1/system/default-tools${query}`);
    const native_tools = { google_search: false, code_execution: false, url_context: false };
    expect(await defaults("")).to.deep.equal({
      status: 200,
      body: { mcp_servers: ["alpha", "zeta"], native_tools },
    });
    expect((await defaults("?alert_type=test")).body).to.deep.equal({
      alert_type: "test",
      mcp_servers: ["alpha", "zeta"],
      native_tools,
    });
    expect((await defaults("?alert_type=bare")).body["mcp_servers"]).to.deep.equal([
      "alpha",
      "gone",
      "kubernetes-server",
      "zeta",
    ]);
    // A synthesis gets no tools.
    expect((await defaults("?alert_type=parallel")).body["mcp_servers"]).to.deep.equal(["zeta"]);
    const { status, body } = await defaults("?alert_type=no-such");
    expect(status).to.equal(400);
    expect(body["allowed"]).to.deep.equal(["bare", "kubernetes", "parallel", "test"]);
  });

  it("forget tool-runners that were lost more than an hour ago", async () => {
    await put("alpha", 0, "down", { seconds: 3_500 });
    await put("zeta", 0, "down", { seconds: 3_700 });
    api.cleanUp();
    const left = async () => api.db.query("SELECT server FROM mcp_server_states ORDER BY server");
    await until("one is left", async () => JSON.stringify(await left()) === '[{"server":"alpha"}]');
  });
});
