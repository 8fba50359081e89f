import { expect } from "chai";
import type { Static } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { until } from "../../../test/support/until.ts";
import { SessionListResponse } from "../sessions/list-schemas.ts";
import { indexSessions } from "../sweeper/index-sessions.ts";
import { keepSearchIndex } from "../sweeper/keep-search-index.ts";
import { ApiFixture, KEY_ACCESS } from "./api-fixture.ts";
import { seedSession, type SeededSession } from "./seed-sessions.ts";

const parseList = compileParser("list", SessionListResponse);

describe("the search for sessions", () => {
  const { signal } = new AbortController();
  let api: ApiFixture;
  let admin: Record<string, string>;

  before(async () => {
    api = await ApiFixture.start({ env: KEY_ACCESS });
    admin = await api.keyOf("root", ["admin"]);
  });
  after(() => api[Symbol.asyncDispose]());
  beforeEach(async () => {
    await api.servers.query("DELETE FROM alert_sessions", []);
  });

  const seed = async (session: SeededSession) => seedSession(api.db, session);
  const index = async () => indexSessions(api.deps.db, signal);
  const search = async (
    term: string,
    { query = "", headers = admin } = {},
  ): Promise<Static<typeof SessionListResponse>> => {
    const path = `/api/v1/sessions?search=${encodeURIComponent(term)}${query}`;
    const { status, text } = await api.raw("GET", path, { headers });
    expect(status, text).to.equal(200);
    return parseList(JSON.parse(text));
  };
  /** The exact total; counting a common term may take longer than one request. */
  const counted = async (term: string, query: string): Promise<number> =>
    until(`${term} is counted`, async () => {
      const { pagination } = await search(term, { query });
      return pagination.total_is_capped === true ? undefined : pagination.total_items;
    });
  const hits = async (term: string, options?: Parameters<typeof search>[1]) =>
    (await search(term, options)).sessions.map(({ id, matched_in_content }) =>
      matched_in_content ? `${id} in content` : id,
    );

  it("finds a part of the alert or of the analysis, whatever the case", async () => {
    const alert = await seed({ age: 2, alert: "Pod crash-loop in PAYMENTS-prod on Über-Node" });
    const analysis = await seed({ age: 1, analysis: "The disk of node-7 is full" });
    expect(await hits("payments")).to.deep.equal([]);
    expect(await index()).to.equal(2);
    for (const term of ["payments", "YMENTS-PR", "crash-loop in p", "über", "ÜBER-n"]) {
      expect(await hits(term), term).to.deep.equal([alert]);
    }
    expect(await hits("NODE-7")).to.deep.equal([analysis]);
    const short = await seed({ alert: "日本のノードが停止" });
    await index();
    for (const term of ["日本", "停"]) expect(await hits(term), term).to.deep.equal([short]);
    expect(await hits("nowhere")).to.deep.equal([]);
  });

  it("finds the words of the timeline in any form, tool results included, and says so", async () => {
    const id = await seed({ timeline: ["the kubelet evicted three pods", "oom_score 1000"] });
    await seed({ alert: "something else" });
    await index();
    for (const term of ["evicting", "pod kubelet", "oom_score"]) {
      expect(await hits(term), term).to.deep.equal([`${id} in content`]);
    }
    // A substring of a word is found in alerts and analyses only, and words without a meaning find nothing.
    expect(await hits("kubel")).to.deep.equal([]);
    expect(await hits("the three of")).to.deep.equal([`${id} in content`]);
    expect(await hits("the of and")).to.deep.equal([]);
  });

  it("finds what only a chat said, also if it ended after the session was indexed", async () => {
    const id = await seed({ timeline: ["the kubelet evicted three pods"] });
    expect(await index()).to.equal(1);
    const question = await api.raw("POST", `/api/v1/sessions/${id}/chat/messages`, {
      headers: { ...admin, "content-type": "application/json" },
      body: Buffer.from(JSON.stringify({ content: "Was the thermostat involved?" })),
    });
    expect(question.status, question.text).to.equal(202);
    expect(await index()).to.equal(0);
    // As an executor ends it.
    await api.servers.query(
      `WITH answer AS (
         INSERT INTO timeline_events (event_id, session_id, stage_id, execution_id, sequence_number, event_type, status, content, seq)
         SELECT gen_random_uuid(), session_id, stage_id, execution_id, 2, 'final_analysis', 'completed', 'no, a clogged radiator', 9
         FROM agent_executions JOIN follow_ups USING (session_id, stage_id) WHERE session_id = $1
       ), ended AS (
         UPDATE follow_ups SET status = 'completed', completed_at = now() WHERE session_id = $1
       )
       UPDATE session_runtime SET last_seq = 9 WHERE session_id = $1`,
      [id],
    );
    expect(await hits("radiator")).to.deep.equal([]);
    expect(await index()).to.equal(1);
    // The words of the investigation stay, and count together with those of its chat.
    for (const term of ["radiators", "thermostat", "evicted", "pods radiator"]) {
      expect(await hits(term), term).to.deep.equal([`${id} in content`]);
    }
    expect(await index()).to.equal(0);
  });

  it("takes every term as text", async () => {
    const odd = [
      String.raw`100% of C:\temp_dir`,
      "it's 'quoted' \"text\"; DROP TABLE alert_sessions; --",
      "a:* & !b | (c <-> d)",
      '[{"a":"%__%"}]',
      "\u{1F525}\u{1F525}\u{1F525} fire",
    ];
    const stored: string[] = [];
    for (const [age, alert] of odd.entries()) stored.push(await seed({ age, alert }));
    await index();
    const terms: Record<string, readonly number[]> = {
      "100%": [0],
      "100_": [],
      "%%%": [],
      ___: [],
      "%__%": [3],
      [String.raw`C:\t`]: [0],
      [String.raw`\\\\`]: [],
      "'quoted'": [1],
      "; drop table": [1],
      "a:* & !b": [2],
      "<->": [2],
      "---": [],
      "\u{1F525}\u{1F525}\u{1F525}": [4],
      "a\u0000b": [],
    };
    for (const [term, found] of Object.entries(terms)) {
      expect(await hits(term), term).to.deep.equal(found.map((position) => stored[position]));
    }
  });

  it("looks at the first 100,000 characters of each text, and of an analysis once there is one", async () => {
    const long = `${"x".repeat(99_990)} needle123 `;
    const [inside, outside] = [
      await seed({ age: 2, alert: long.slice(0, 100_000) }),
      await seed({ age: 1, alert: ` ${long}` }),
    ];
    await index();
    expect(await hits("needle123")).to.deep.equal([inside]);
    expect(await hits("needle12")).to.deep.equal([outside, inside]);
  });

  it("indexes what a running session adds, and once more when it ends", async () => {
    const id = await seed({ status: "in_progress", timeline: ["first finding"] });
    const words = async () =>
      api.servers.query(
        "SELECT indexed_seq, part FROM timeline_words WHERE session_id = $1 ORDER BY indexed_seq",
        [id],
      );
    await index();
    expect(await hits("finding")).to.deep.equal([`${id} in content`]);
    expect(await index()).to.equal(0);
    const grow = async (seq: number, status: string, content: string) => {
      await api.servers.query(
        `INSERT INTO timeline_events (event_id, session_id, stage_id, execution_id, sequence_number, event_type, status, content, seq)
         SELECT gen_random_uuid(), session_id, stage_id, execution_id, $2, 'llm_response', $3::timeline_status, $4, $2
         FROM agent_executions WHERE session_id = $1`,
        [id, seq, status, content],
      );
      await api.servers.query("UPDATE session_runtime SET last_seq = $2 WHERE session_id = $1", [id, seq]);
    };
    await grow(2, "completed", "second discovery");
    await grow(3, "streaming", "half a sen");
    expect(await index()).to.equal(1);
    expect(await hits("discovery")).to.deep.equal([`${id} in content`]);
    expect(await hits("half")).to.deep.equal([]);
    expect(await words()).to.have.length(2);
    await api.servers.query(
      "UPDATE timeline_events SET status = 'completed', content = 'half a sentence', seq = 4 WHERE session_id = $1 AND seq = 3",
      [id],
    );
    await api.servers.query("UPDATE session_runtime SET last_seq = 4 WHERE session_id = $1", [id]);
    await api.servers.query(
      "UPDATE alert_sessions SET status = 'completed', completed_at = now(), final_analysis = 'the answer' WHERE session_id = $1",
      [id],
    );
    expect(await index()).to.equal(1);
    for (const term of ["finding", "discovery", "sentence", "the answer"]) {
      expect(await hits(term), term).to.have.length(1);
    }
    expect(await words()).to.deep.equal([{ indexed_seq: 4, part: 0 }]);
    expect(await index()).to.equal(0);
  });

  it("does not stop at texts with too many words", async () => {
    const words = Array.from({ length: 9_000 }, (_, n) => `a${n}-b${n}-c${n}/d${n}.e${n}`).join(" ");
    const wide = "\u{20000}".repeat(99_000);
    const huge = await seed({ age: 2, timeline: [words, `${wide} end`, words.toUpperCase(), "findable"] });
    const other = await seed({ age: 1, timeline: ["another findable thing"] });
    expect(await index()).to.equal(2);
    expect(await hits("findable")).to.deep.equal([`${other} in content`, `${huge} in content`]);
  });

  it("finds rare, common and absent terms among many, with the rest of the list's query", async () => {
    const stored: string[] = [];
    for (let n = 0; n < 260; n += 1) {
      const alert = `common alert ${n % 65 === 0 ? "rareword" : ""} number ${n}.`;
      stored.push(await seed({ age: n, alert, alertType: n % 2 === 0 ? "even" : "odd" }));
    }
    await index();
    const rare = await search("rareword");
    expect(rare.sessions.map(({ id }) => id)).to.deep.equal([0, 65, 130, 195].map((n) => stored[n]));
    expect(rare.pagination).to.deep.equal({ page: 1, page_size: 25, total_pages: 1, total_items: 4 });
    expect(await hits("rareword", { query: "&alert_type=odd" })).to.deep.equal([stored[65], stored[195]]);
    expect(await hits("rareword", { query: "&sort_order=asc&page_size=1&page=2" })).to.deep.equal([
      stored[130],
    ]);
    expect((await search("absentword")).pagination.total_items).to.equal(0);
    expect((await search("-- -")).pagination.total_items).to.equal(0);
    const pages: string[] = [];
    await counted("COMMON alert", "&page_size=100");
    for (let page = 1; page <= 3; page += 1) {
      const { sessions, pagination } = await search("COMMON alert", { query: `&page=${page}&page_size=100` });
      pages.push(...sessions.map(({ id }) => id));
      expect(pagination).to.deep.equal({ page, page_size: 100, total_pages: 3, total_items: 260 });
    }
    expect(pages).to.deep.equal(stored);
    expect(await hits("number 25", { query: "&alert_type=even&sort_by=alert_type" })).to.have.length(5);
  });

  it("counts all hits of common terms, and finds any page of them", async () => {
    const stored = 1_200;
    await api.db.query(
      `INSERT INTO alert_sessions (session_id, alert_data, agent_type, alert_type, chain_id, config_hash, status, created_at)
       SELECT gen_random_uuid(), 'everywhere ' || CASE WHEN n % 10 = 0 THEN 'tenthword' ELSE '' END, 'test', 'type-' || n % 2, 'chain',
         'hash', 'pending', now() - make_interval(secs => 10 + n)
       FROM generate_series(1, $1::int) AS n`,
      [stored],
    );
    await api.db.query(
      "INSERT INTO session_runtime (session_id, last_seq) SELECT session_id, 1 FROM alert_sessions",
    );
    await index();
    const expected = {
      everywhere: stored,
      tenthword: stored / 10,
      "everywhere&alert_type=type-1": stored / 2,
    };
    for (const [wanted, total] of Object.entries(expected)) {
      const [term = "", filter] = wanted.split("&");
      const query = filter === undefined ? "" : `&${filter}`;
      expect(await counted(term, query), wanted).to.equal(total);
      const last = Math.ceil(total / 25);
      expect(await hits(term, { query: `${query}&page=${last}` }), wanted).to.have.length(
        total - (last - 1) * 25,
      );
      expect(await hits(term, { query: `${query}&page=${last + 1}` }), wanted).to.deep.equal([]);
    }
  });

  it("shows no caller what the list does not show, and forgets what is deleted", async () => {
    const mine = await seed({ owner: "key:ann", alert: "secret plan" });
    await seed({ owner: "key:bob", alert: "secret plan", timeline: ["secret plan"] });
    await seed({ alert: "secret plan", deleted: true });
    await index();
    const ann = await api.keyOf("ann", ["viewer"]);
    expect(await hits("secret plan", { headers: ann })).to.deep.equal([mine]);
    await api.servers.query("DELETE FROM alert_sessions", []);
    for (const table of ["search_progress", "session_texts", "timeline_words"]) {
      expect(await api.servers.query(`SELECT 1 FROM ${table}`, []), table).to.deep.equal([]);
    }
  });

  it("is indexed by several replicas together, by themselves, and the lag is shown", async () => {
    for (let n = 0; n < 45; n += 1) await seed({ alert: `alert ${n}`, timeline: [`line ${n}`] });
    await using second = await ApiFixture.start({ servers: api.servers });
    const stop = new AbortController();
    const { log } = api.deps;
    const running = [api, second].map(async ({ deps: { db, metrics } }) =>
      keepSearchIndex({ db, log, metrics }, stop.signal),
    );
    await until("everything is indexed", async () => {
      const open = await api.servers.query("SELECT 1 FROM search_progress WHERE NOT is_complete", []);
      return open.length === 0;
    });
    stop.abort();
    await Promise.all(running);
    const rows = await api.servers.query(
      "SELECT (SELECT count(*)::int FROM timeline_words) AS words, (SELECT count(*)::int FROM session_texts) AS texts",
      [],
    );
    expect(rows).to.deep.equal([{ words: 45, texts: 45 }]);
    const { values } = await api.deps.metrics.searchLag.get();
    expect(values[0]?.value).to.be.a("number");
  });
});
