import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { pino } from "pino";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { SERVER_STATES, StoredTool } from "#shared/contracts/mcp-server-state.ts";
import { literals } from "#shared/contracts/literals.ts";
import type { Database } from "#shared/database/database.ts";
import { openDatabase } from "#shared/database/connection/open-database.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { Masker } from "#shared/masking/masker.ts";
import { BackingServers } from "../../../test/support/backing-servers.ts";
import { NOTHING_LISTENS } from "../../../test/support/nothing-listens.ts";
import { until } from "../../../test/support/until.ts";
import { McpServers } from "../mcp/mcp-servers.ts";
import { DEFAULT_SETTINGS } from "../mcp/server-settings.ts";
import { startHttpServer } from "../mcp/test/http-server.ts";
import { callTool, findServer, hostile, httpAt, settingsOf } from "../mcp/test/server-fixture.ts";
import { ServerStates } from "../server-states.ts";

const SECRET = "hunter2-in-an-address";
const Text = Type.Union([Type.String(), Type.Null()]);
const parseState = compileParser(
  "state",
  Type.Object({
    server: Type.String(),
    state: literals(SERVER_STATES),
    era: Text,
    version: Text,
    tools: Type.Array(StoredTool),
    error_code: Text,
    error: Text,
    checked: Text,
  }),
);
const READ = `
SELECT server, state, era, version, tools, error_code, error, last_check_at::text AS checked
FROM mcp_server_states WHERE runner = $1 ORDER BY server`;

describe("the states of MCP servers", () => {
  const resources = new AsyncDisposableStack();
  const { signal } = new AbortController();
  const log = pino({ level: "silent" });
  const masker = new Masker();
  let db: Database;

  before(async () => {
    const servers = resources.use(await BackingServers.choose({}));
    await servers.migrate();
    const url = servers.postgres.serviceUrls["tool-runner"];
    db = resources.use(await openDatabase({ url, applicationName: "states", poolSize: 2, log, signal }));
  });
  after(() => resources.disposeAsync());

  const start = (
    servers: McpServers | undefined,
    more: Partial<ConstructorParameters<typeof ServerStates>[0]> = {},
  ) => {
    const id = randomUUID();
    const states = new ServerStates({
      db,
      log,
      runner: { id, host: "here" },
      servers,
      stubs: [],
      unavailable: new Map(),
      masker,
      maskingRules: new Map(),
      times: { lookEvery: 20, confirmEvery: 200, probeAfter: 300, probeFailingAfter: 100, downAfter: 60_000 },
      ...more,
    });
    const read = async () => selectRows(db, parseState, READ, [id]);
    const stateOf = async (server: string) => (await read()).find((row) => row.server === server);
    return { states, read, stateOf, [Symbol.asyncDispose]: () => states[Symbol.asyncDispose]() };
  };

  it("come from calls and listings, and go with the runner", async () => {
    await using well = await startHttpServer("legacy", {
      explode: (_request, response) => void response.writeHead(500).end(),
    });
    await using servers = new McpServers({
      env: {},
      settings: [
        settingsOf(httpAt(well.url), { id: "well" }),
        settingsOf(httpAt(NOTHING_LISTENS), { id: "away" }),
        settingsOf(hostile("exit-at-start"), { id: "broken" }),
        settingsOf(httpAt(`http://user:${SECRET}@127.0.0.1:2/mcp`), { id: "secret" }),
      ],
    });
    const run = start(servers, {
      unavailable: new Map([["unset", "KUBECONFIG is not set"]]),
      times: {
        lookEvery: 20,
        confirmEvery: 200,
        probeAfter: 600_000,
        probeFailingAfter: 600_000,
        downAfter: 60_000,
      },
    });
    await using _run = run;
    expect(
      (await until("rows exist", async () => (await run.read()).length === 5 && run.read()))[0],
    ).to.include({
      server: "away",
      state: "unused",
      checked: null,
    });
    servers.warm();
    const rows = await until("all are known", async () => {
      const found = await run.read();
      return found.every(({ state }) => state !== "unused") && found;
    });
    expect(
      rows.map(({ server, state, error_code }) => `${server} ${state} ${error_code ?? ""}`),
    ).to.deep.equal([
      "away down unreachable",
      "broken down unreachable",
      "secret down unreachable",
      "unset misconfigured misconfigured",
      "well healthy ",
    ]);
    expect(rows[1]?.error).to.contain("no such cluster");
    expect(JSON.stringify(rows)).to.not.contain(SECRET);
    expect(rows[4]).to.include({ era: "legacy", version: "test 1" });
    expect(rows[4]?.tools).to.deep.equal([
      { name: "echo", description: "", effect: "write", effect_known: false },
    ]);
    const call = async (tool: string) =>
      callTool(servers, { server: "well", tool, callId: randomUUID(), executionId: "e", args: {}, signal });
    await call("explode").catch(() => undefined);
    const failing = await until("a failed call counts", async () => {
      const row = await run.stateOf("well");
      return row?.state === "degraded" && row;
    });
    expect(failing.error_code).to.equal("http_status");
    await call("echo");
    await until("so does the next one", async () => (await run.stateOf("well"))?.state === "healthy");
    await run.states[Symbol.asyncDispose]();
    expect(await run.read()).to.deep.equal([]);
  });

  it("tell of a server that was asked and is silent, and of tools that are left out", async () => {
    await using silent = await startHttpServer("legacy", { "tools/list": () => undefined });
    await using odd = await startHttpServer("legacy", {
      "tools/list": (_request, response, id) =>
        odd.respond(response, id, { tools: [{ name: "good" }, { name: "bad", inputSchema: 5 }] }),
    });
    const settings = [
      settingsOf(httpAt(silent.url), { id: "silent" }),
      settingsOf(httpAt(odd.url), { id: "odd" }),
    ];
    await using servers = new McpServers({ env: {}, settings });
    const times = { lookEvery: 20, confirmEvery: 200, probeAfter: 600_000, probeFailingAfter: 600_000 };
    await using run = start(servers, { times: { ...times, downAfter: 200 } });
    servers.warm();
    const down = await until("the silent server is down", async () => {
      const row = await run.stateOf("silent");
      return row?.state === "down" && row;
    });
    expect(down).to.include({ error_code: "timeout", error: "the server has not answered yet" });
    const row = await until("the other is known", async () => {
      const found = await run.stateOf("odd");
      return found?.state === "healthy" && found;
    });
    expect(row).to.include({
      error_code: "tools_left_out",
      error: 'left out: "bad": its inputSchema is not an object',
    });
  });

  it("are looked for at servers that nothing was heard of", async () => {
    await using server = await startHttpServer("modern", {});
    await using servers = new McpServers({
      env: {},
      settings: [settingsOf(httpAt(server.url), { id: "idle" })],
    });
    await using run = start(servers);
    expect((await run.stateOf("idle"))?.state ?? "unused").to.equal("unused");
    await findServer(servers, "idle").probe();
    const listings = () => server.seen.filter((method) => method === "tools/list").length;
    const before = listings();
    await until("it is asked again", () => listings() >= before + 2);
  });

  it("include those whose tools are stubs", async () => {
    await using servers = new McpServers({
      env: {},
      settings: [
        settingsOf(hostile(), { id: "silent" }),
        settingsOf(hostile(), {
          id: "stated",
          tools: { ...DEFAULT_SETTINGS.tools, read_only: ["*"] },
        }),
      ],
    });
    await using run = start(servers, {
      stubs: [
        {
          name: "stubbed.pods",
          server: "stubbed",
          description: "Lists pods",
          parameters_schema: "{}",
          read_only: true,
        },
        {
          name: "stubbed.restart",
          server: "stubbed",
          description: "Restarts a pod",
          parameters_schema: "{}",
          read_only: false,
          effect: "destructive",
          effect_known: true,
          needs_approval: true,
        },
      ],
    });
    servers.warm();
    await until("all are known", async () => {
      const rows = await run.read();
      return rows.length === 3 && rows.every(({ state }) => state === "healthy");
    });
    expect((await run.stateOf("stubbed"))?.tools).to.deep.equal([
      { name: "pods", description: "Lists pods" },
      {
        name: "restart",
        description: "Restarts a pod",
        effect: "destructive",
        effect_known: true,
        needs_approval: true,
      },
    ]);
  });

  it("are written again after they were removed", async () => {
    await using run = start(undefined, { unavailable: new Map([["unset", "no"]]) });
    await until("the row exists", async () => (await run.read()).length === 1);
    await db.query("DELETE FROM mcp_server_states WHERE server = 'unset'");
    await until("it is back", async () => (await run.read()).length === 1);
  });
});
