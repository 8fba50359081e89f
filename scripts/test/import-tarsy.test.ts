import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect } from "chai";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { ApiFixture } from "../../services/api/test/api-fixture.ts";
import { indexSessions } from "../../services/api/sweeper/index-sessions.ts";
import { killOnExit } from "../../test/support/kill-on-exit.ts";
import { until } from "../../test/support/until.ts";
import { openOriginal, wholeSession, type FakeSession } from "./original-tarsy.ts";
import { tarsyHere } from "./tarsy-here.ts";

const MAIN = join(import.meta.dirname, "..", "tarsy", "main.ts");
const SECRET = "Xk9-vTq2Lm8Zr4Wp7Yd1";
const listOf = compileParser("list", Type.Array(Type.Record(Type.String(), Type.Unknown())));
const TOKEN = "the-token-of-the-original";
const idOf = (n: number) => `0b5c1e0a-0000-4000-8000-${String(n).padStart(12, "0")}`;
const whole = (n: number) => wholeSession(idOf(n), { secret: SECRET });

/** Feedback is learned from, and the chain of the imported sessions has a chat and a judge. */
const CONFIG = {
  tarsy: {
    defaults: { llm_provider: "scripted", alert_type: "test", memory: { enabled: true } },
    agents: { TestAgent: { mcp_servers: [] } },
    agent_chains: {
      k8s: { alert_types: ["test"], stages: [{ name: "look", agents: [{ name: "TestAgent" }] }] },
    },
  },
};

/** A session with another part of its answers. */
const changed = ({ item, parts }: FakeSession, part: string, more: object): FakeSession => ({
  item,
  parts: { ...parts, [part]: { ...parts[part], ...more } },
});

describe("npm run tarsy -- import tarsy", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start({ config: CONFIG });
  });
  after(() => api[Symbol.asyncDispose]());

  const run = (url: string, ...args: string[]) =>
    tarsyHere(["import", "tarsy", url, "--token-env", "ORIGINAL_TOKEN", "--rate", "1000", ...args], {
      DATABASE_URL: api.servers.postgres.url,
      ORIGINAL_TOKEN: TOKEN,
    });
  const count = async (table: string) => {
    const [row] = listOf(await api.servers.query(`SELECT count(*)::int AS n FROM ${table}`, []));
    return Number(row?.["n"]);
  };
  const TABLES = [
    "alert_sessions",
    "stages",
    "agent_executions",
    "timeline_events",
    "session_review_activities",
  ];

  it("shows an imported session in list, detail, timeline and search as ours, and repeats nothing", async () => {
    await using original = await openOriginal([whole(1)], TOKEN);
    const first = await run(original.url);
    expect(first.out, first.errors).to.equal("1 imported, 0 here before, 0 left out\n");
    expect(original.requests.filter((request) => !request.startsWith("GET "))).to.deep.equal([]);
    const before = await Promise.all([...TABLES, "investigation_memories"].map(count));
    const again = await run(original.url);
    expect(again.out, again.errors).to.equal("0 imported, 1 here before, 0 left out\n");
    expect(await Promise.all([...TABLES, "investigation_memories"].map(count))).to.deep.equal(before);

    const ask = async (path: string) => (await api.client.request("GET", `/api/v1/sessions${path}`)).body;
    await indexSessions(api.db, new AbortController().signal);
    const [listed] = listOf((await ask("?search=OOMKilled"))["sessions"]);
    expect(listed).to.deep.include({
      id: idOf(1),
      status: "completed",
      total_tokens: 730,
      total_stages: 4,
      review_status: "reviewed",
      quality_rating: "accurate",
    });
    const session = await ask(`/${idOf(1)}`);
    expect(session).to.nested.include({
      chain_id: "k8s",
      chat_enabled: false,
      executive_summary: "cart has no limit",
      created_at: "2026-05-01T10:00:00.000Z",
      "session_metadata.imported_from": original.url,
    });
    const stages = listOf(session["stages"]).map(({ stage_type, executions }) => [
      stage_type,
      ...listOf(executions).map(({ agent_name }) => agent_name),
    ]);
    expect(stages).to.deep.equal([
      ["investigation", "Looker", "Checker"],
      ["synthesis", "Synthesis"],
      ["exec_summary", "ExecSummaryAgent"],
      ["chat", "Chat"],
    ]);
    expect(session).to.have.nested.property("stages[0].executions[0].sub_agents[0].agent_name", "Helper");
    const { text } = await api.raw("GET", `/api/v1/sessions/${idOf(1)}/timeline`);
    const entries = listOf(JSON.parse(text));
    expect(entries.map(({ event_type }) => event_type)).to.deep.equal([
      "llm_thinking",
      "llm_tool_call",
      "llm_response",
      "final_analysis",
      "final_analysis",
      "executive_summary",
      "final_analysis",
      "user_question",
      "final_analysis",
    ]);
    expect(entries[1]?.["content"]).to.match(/^exit code 137\n/u);
    expect(entries[1]?.["metadata"]).to.include({
      tool_name: "pods_log",
      is_error: false,
      duration_ms: 1_000,
    });
    const activity = await ask(`/${idOf(1)}/review-activity`);
    expect(activity["activities"]).to.have.length(2);
  });

  it("stores no secret of it", async () => {
    const tables = await api.servers.query(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
      [],
    );
    for (const { name } of listOf(tables)) {
      expect(await count(`${String(name)} t WHERE strpos(t::text, 'ghp_') > 0`), String(name)).to.equal(0);
      expect(await count(`${String(name)} t WHERE strpos(t::text, '${SECRET}') > 0`), String(name)).to.equal(
        0,
      );
    }
    const [memory] = listOf(await api.servers.query("SELECT content FROM investigation_memories", []));
    expect(memory?.["content"]).to.match(/^Carts without a limit are killed; password=\[MASKED/u);
  });

  it("cannot be continued: no question, no score, no fork, no cassette, no lesson", async () => {
    for (const [path, body] of [
      ["chat/messages", { content: "Why?" }],
      ["score", {}],
      ["fork", {}],
    ] as const) {
      const refused = await api.client.request("POST", `/api/v1/sessions/${idOf(1)}/${path}`, body);
      expect(refused.status, path).to.equal(409);
      expect(refused.body, path).to.deep.include({ code: "session_imported" });
    }
    expect((await api.client.request("GET", `/api/v1/sessions/${idOf(1)}/cassette`)).status).to.equal(409);
    const fields = { action: "update_feedback", investigation_feedback: "not so well" };
    const reviewed = await api.client.request("PATCH", "/api/v1/sessions/review", {
      session_ids: [idOf(1)],
      ...fields,
    });
    expect(reviewed.body).to.have.nested.property("results[0].success", true);
    expect(await count("follow_ups")).to.equal(0);
  });

  it("goes on where it was ended, repeats what fails in passing, and says what it left out and why", async () => {
    const sessions = [
      whole(2),
      { item: { id: "not-a-uuid", status: "completed" }, parts: {} },
      { item: { id: idOf(3), status: "in_progress" }, parts: {} },
      changed(whole(4), "", { status: "exploded" }),
      changed(whole(5), "/review-activity", {
        activities: [{ actor: "ann", action: "dance", created_at: "soon" }],
      }),
      whole(6),
      { ...whole(7), parts: {} },
    ];
    await using original = await openOriginal(sessions, TOKEN);
    original.fail(2);
    const before = await count("alert_sessions");
    const first = await run(original.url);
    expect(first.code).to.equal(1);
    expect(first.out, first.errors).to.equal("2 imported, 0 here before, 5 left out\n");
    for (const reason of [
      "not-a-uuid: its id is no UUID",
      `${idOf(3)}: it is in_progress: import it once it has ended`,
      `${idOf(4)}: malformed session: status`,
      `${idOf(5)}: `,
      `${idOf(7)}: malformed session`,
    ]) {
      expect(first.errors).to.contain(reason);
    }
    expect(await count("alert_sessions")).to.equal(before + 2);

    sessions[3] = whole(4);
    const second = await run(original.url);
    expect(second.out).to.equal("1 imported, 2 here before, 4 left out\n");
  });

  it("skips none when the original removes the oldest ones, and adds others, while it is read", async () => {
    const dated = (day: number): FakeSession => {
      const { item, parts } = whole(20 + day);
      return { item: { ...item, created_at: `2026-05-0${day}T10:00:00Z` }, parts };
    };
    const sessions = [1, 2, 3, 4, 5, 6, 7, 8].map(dated);
    const asked = (path: string) => {
      if (!path.endsWith(`${idOf(23)}/memories`)) return;
      sessions.splice(0, 3);
      sessions.push(dated(9));
    };
    await using original = await openOriginal(sessions, TOKEN, { asked });
    const { out, errors } = await run(original.url);
    expect(out, errors).to.equal("9 imported, 0 here before, 0 left out\n");
  });

  it("does not give up because many still run", async () => {
    const running = Array.from({ length: 120 }, (_, n): FakeSession => {
      return { item: { id: idOf(100 + n), status: "pending" }, parts: {} };
    });
    await using original = await openOriginal([...running, whole(31)], TOKEN);
    const { out, errors } = await run(original.url);
    expect(out, errors).to.equal("1 imported, 0 here before, 120 left out\n");
    expect(errors).to.contain("it is pending: import it once it has ended");
  });

  it("leaves whole sessions alone when it is killed, and then has none twice", async () => {
    const ids = [11, 12, 13];
    let child: ChildProcess | undefined;
    // The second one is half read.
    const asked = (path: string) => void (path.endsWith(`${idOf(12)}/timeline`) && child?.kill("SIGKILL"));
    await using original = await openOriginal(ids.map(whole), TOKEN, { asked });
    const env = { ...process.env, DATABASE_URL: api.servers.postgres.url, ORIGINAL_TOKEN: TOKEN };
    const args = [MAIN, "import", "tarsy", original.url, "--token-env", "ORIGINAL_TOKEN"];
    child = spawn(process.execPath, args, { env, stdio: "ignore" });
    using _registered = killOnExit(child.pid ?? 0);
    await once(child, "exit");
    expect(child.signalCode).to.equal("SIGKILL");
    child = undefined;
    const stored = `alert_sessions WHERE session_id = ANY('{${ids.map(idOf).join()}}')`;
    expect(await count(stored)).to.equal(1);
    expect((await run(original.url)).out).to.equal("2 imported, 1 here before, 0 left out\n");
    expect(await count(stored)).to.equal(3);
  });

  it("keeps it as long as its own dates say", async () => {
    api.cleanUp();
    const gone = async () => (await api.client.request("GET", `/api/v1/sessions/${idOf(1)}`)).status === 404;
    await until("the session, which is of May, is gone", gone);
    expect(await count("investigation_memories")).to.be.greaterThan(0);
  });

  it("is refused at once without the right token, and by a wrong command line", async () => {
    await using original = await openOriginal([whole(8)], "another");
    const refused = await run(original.url);
    expect(refused.code).to.equal(4);
    expect(refused.errors)
      .to.contain("who are you?: name its variable with --token-env")
      .and.not.contain(TOKEN);
    const away = await run("http://127.0.0.1:1");
    expect([away.code, away.errors]).to.deep.equal([3, "no answer from http://127.0.0.1:1\n"]);
    for (const [args, why] of [
      [["import", "tarsy"], "import tarsy URL"],
      [["import", "tarsy", "ftp://x"], "URL: give the original's address"],
      [["import", "tarsy", "http://x", "--token-env", "NONE"], "--token-env: NONE is not set"],
      [["import", "tarsy", "http://x", "--rate", "0"], "--rate"],
      [["import", "tarsy", "http://x", "--since", "once"], "--since"],
    ] as const) {
      const { code, errors } = await tarsyHere(args, {});
      expect(code, errors).to.equal(2);
      expect(errors).to.contain(why);
    }
  });
});
