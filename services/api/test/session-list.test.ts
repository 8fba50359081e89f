import { expect } from "chai";
import { Type, type Static } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import {
  ActiveSessionsResponse,
  FilterOptionsResponse,
  SessionItem,
  SessionListResponse,
} from "../sessions/list-schemas.ts";
import { ApiFixture, KEY_ACCESS } from "./api-fixture.ts";
import { seedSession, type SeededSession } from "./seed-sessions.ts";

const parseList = compileParser("list", SessionListResponse);
const parseActive = compileParser("active", ActiveSessionsResponse);
const parseOptions = compileParser("filter options", FilterOptionsResponse);
const parseError = compileParser(
  "error",
  Type.Object({ message: Type.String(), allowed: Type.Optional(Type.Array(Type.String())) }),
);

describe("the list of sessions", () => {
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

  const seed = async (session?: SeededSession) => seedSession(api.db, session);
  const get = async (path: string, headers = admin) => {
    const answer = await api.raw("GET", `/api/v1/sessions${path}`, { headers });
    const body: unknown = JSON.parse(answer.text);
    return { ...answer, body };
  };
  const list = async (query = "", headers = admin): Promise<Static<typeof SessionListResponse>> => {
    const { status, body, text } = await get(query, headers);
    expect(status, text).to.equal(200);
    return parseList(body);
  };
  const ids = async (query = "", headers = admin) =>
    (await list(query, headers)).sessions.map(({ id }) => id);

  it("is empty without sessions", async () => {
    expect(await list()).to.deep.equal({
      sessions: [],
      pagination: { page: 1, page_size: 25, total_pages: 0, total_items: 0 },
      cost_estimation_enabled: true,
    });
  });

  it("has every member of a session, null where there is nothing", async () => {
    const id = await seed({ author: null, alertType: null, status: "pending", duration: null });
    const { sessions } = await list();
    expect(sessions[0]).to.include({
      id,
      alert_type: null,
      chain_id: "test-chain",
      status: "pending",
      author: null,
      started_at: null,
      completed_at: null,
      duration_ms: null,
      executive_summary: null,
      // Two stages, a synthesis and the summary are planned.
      total_stages: 4,
      completed_stages: 0,
      current_stage_index: null,
      current_stage_id: null,
      matched_in_content: false,
      latest_score: null,
      has_sub_agents: false,
    });
    expect(Object.keys(sessions[0] ?? {})).to.have.members(
      // Without calls there is no cost, and it is neither parked nor failing, and not searched for.
      Object.keys(SessionItem.properties).filter(
        (name) =>
          !["estimated_cost_usd", "parked", "failing", "excerpt", "stage_text", "cancelled"].includes(name),
      ),
    );
    const answer = await get("");
    expect(answer.headers.get("content-type")).to.match(/^application\/json/u);
  });

  it("pages from the newest to the oldest, and knows how many there are", async () => {
    const all: string[] = [];
    for (let age = 1; age <= 7; age += 1) all.push(await seed({ age }));
    const page = async (number: number) => list(`?page=${number}&page_size=3`);
    expect((await page(1)).pagination).to.deep.equal({
      page: 1,
      page_size: 3,
      total_pages: 3,
      total_items: 7,
    });
    const pages = [
      await ids("?page_size=3"),
      await ids("?page=2&page_size=3"),
      await ids("?page=3&page_size=3"),
    ];
    expect(pages.flat()).to.deep.equal(all);
    expect(await ids("?page=4&page_size=3")).to.deep.equal([]);
    expect(await ids("?page=900000000&page_size=100")).to.deep.equal([]);
    expect(await ids("?sort_order=asc")).to.deep.equal(all.toReversed());
  });

  it("shows no session twice while others are submitted, and the newest on the first page", async () => {
    const all: string[] = [];
    for (let age = 1; age <= 6; age += 1) all.push(await seed({ age: age + 100 }));
    const seen = [...(await ids("?page_size=2"))];
    for (const page of [2, 3]) {
      await seed({ age: 1 });
      await seed({ age: 2 });
      seen.push(...(await ids(`?page=${page}&page_size=2`)));
    }
    expect(seen).to.deep.equal(all);
    const newest = await seed({ age: 0 });
    expect((await ids("?page_size=2"))[0]).to.equal(newest);
  });

  it("sorts by each key in both directions, sessions without a duration last", async () => {
    const [a, b, c] = [
      await seed({ age: 30, alertType: "b", author: "ann", duration: 5 }),
      await seed({ age: 20, alertType: "a", author: null, duration: 9 }),
      await seed({ age: 10, alertType: "c", author: "Bob", status: "in_progress" }),
    ];
    const orders: Record<string, readonly [string[], string[]]> = {
      created_at: [
        [a, b, c],
        [c, b, a],
      ],
      alert_type: [
        [b, a, c],
        [c, a, b],
      ],
      status: [
        [c, a, b],
        [b, a, c],
      ],
      duration: [
        [a, b, c],
        [b, a, c],
      ],
      score: [
        [a, b, c],
        [c, b, a],
      ],
      quality_rating: [
        [a, b, c],
        [c, b, a],
      ],
    };
    for (const [key, [ascending, descending]] of Object.entries(orders)) {
      expect(await ids(`?sort_by=${key}&sort_order=asc`), `${key} asc`).to.deep.equal(ascending);
      expect(await ids(`?sort_by=${key}&sort_order=desc`), `${key} desc`).to.deep.equal(descending);
      for (const order of ["asc", "desc"]) {
        const sorted = `?sort_by=${key}&sort_order=${order}&page_size=1`;
        const paged = [
          await ids(`${sorted}&page=1`),
          await ids(`${sorted}&page=2`),
          await ids(`${sorted}&page=3`),
        ];
        expect(paged.flat(), `${key} ${order} by pages`).to.deep.equal(
          order === "asc" ? ascending : descending,
        );
      }
    }
    expect((await ids("?sort_by=author&sort_order=asc"))[0]).to.equal(b);
    // Without the page before.
    expect(await ids("?sort_by=duration&sort_order=asc&page_size=2&page=2")).to.deep.equal([c]);
  });

  it("filters by status, type, chain, time, and by what no session has yet", async () => {
    const [a, b, c] = [
      await seed({ age: 3_000, status: "failed", alertType: "x", chain: "one" }),
      await seed({ age: 2_000, status: "completed", alertType: "y", chain: "one", author: "Ann" }),
      await seed({ age: 1_000, status: "cancelled", alertType: "y", chain: "two" }),
    ];
    const at = (age: number) => encodeURIComponent(new Date(Date.now() - age * 1_000).toISOString());
    const filters: Record<string, readonly string[]> = {
      "status=failed,cancelled": [c, a],
      "status=failed&status=cancelled": [c, a],
      "alert_type=y": [c, b],
      "alert_type=": [c, b, a],
      "chain_id=one": [b, a],
      "author=Ann": [b],
      "author=ann": [],
      "author=": [c, b, a],
      "chain_id=one&alert_type=y": [b],
      [`start_date=${at(2_500)}`]: [c, b],
      [`start_date=${at(2_500)}&end_date=${at(1_500)}`]: [b],
      "scoring_status=not_scored": [c, b, a],
      "scoring_status=scored": [],
      "review_status=needs_review": [b, a],
      "review_status=reviewed,in_progress": [c],
      "assignee=ann&quality_rating=accurate": [],
    };
    for (const [filter, expected] of Object.entries(filters)) {
      expect(await ids(`?${filter}`), filter).to.deep.equal(expected);
    }
  });

  it("refuses what it does not understand, and names the field", async () => {
    const refused: Record<string, string> = {
      "page=0": "page",
      "page=x": "page",
      "page=1&page=2": "page",
      "page_size=101": "page_size",
      "page_size=-1": "page_size",
      "sort_by=name": "sort_by",
      "sort_order=DESC": "sort_order",
      "status=failed,done": "status",
      "alert_type=a&alert_type=b": "alert_type",
      "search=ab": "search",
      [`search=${"x".repeat(1_001)}`]: "search",
      "search=%C3%A9": "search",
      "start_date=yesterday": "start_date",
      "start_date=2026-02-30T00:00:00Z": "start_date",
      "start_date=0000-01-01T00:00:00Z": "start_date",
      "end_date=2026-01-01T00:00:00": "end_date",
      "scoring_status=maybe": "scoring_status",
      "review_status=done": "review_status",
      "quality_rating=good": "quality_rating",
    };
    for (const [query, field] of Object.entries(refused)) {
      const { status, body } = await get(`?${query}`);
      expect(status, query).to.equal(400);
      expect(parseError(body).message, query).to.include(`'${field}'`);
    }
    const { body } = await get("?status=done");
    expect(parseError(body).allowed).to.include("timed_out").and.to.have.length(7);
    for (const time of [
      "2026-01-31T12:00:00Z",
      "2026-01-31T12:00:00.123456789%2B02:00",
      "2024-02-29T00:00:00-14:00",
    ]) {
      expect((await get(`?start_date=${time}`)).status, time).to.equal(200);
    }
  });

  it("shows the caller's sessions and those of the teams, everything to operators, and nothing that was deleted", async () => {
    const [mine, team, other] = [
      await seed({ age: 3, owner: "key:ann", author: "Ann", alertType: "a", status: "pending" }),
      await seed({ age: 2, owner: "key:bob", teams: ["platform"], alertType: "b", status: "in_progress" }),
      await seed({
        age: 1,
        owner: "key:bob",
        author: "Bob",
        alertType: "c",
        chain: "secret",
        status: "pending",
      }),
    ];
    await seed({ deleted: true, owner: "key:ann", alertType: "gone" });
    const ann = await api.keyOf("ann", ["viewer"], ["platform"]);
    const eve = await api.keyOf("eve", ["submitter"]);
    const olga = await api.keyOf("olga", ["operator"]);
    for (const order of ["", "?sort_by=alert_type&sort_order=desc"]) {
      expect(await ids(order, ann)).to.deep.equal([team, mine]);
      expect(await ids(order, eve)).to.deep.equal([]);
      expect(await ids(order, olga)).to.deep.equal([other, team, mine]);
    }
    expect((await list("", ann)).pagination.total_items).to.equal(2);
    const active = async (headers: Record<string, string>) =>
      parseActive((await get("/active", headers)).body);
    expect((await active(eve)).active).to.deep.equal([]);
    const forAnn = await active(ann);
    expect(forAnn.active.map(({ id }) => id)).to.deep.equal([team]);
    expect(forAnn.queued.map(({ id }) => id)).to.deep.equal([mine]);
    const options = async (headers: Record<string, string>) =>
      parseOptions((await get("/filter-options", headers)).body);
    expect(await options(ann)).to.deep.include({ alert_types: ["a", "b"], chain_ids: ["test-chain"] });
    expect((await options(olga)).alert_types).to.deep.equal(["a", "b", "c"]);
    expect((await options(ann)).authors).to.deep.equal(["Ann"]);
    expect((await options(olga)).authors).to.deep.equal(["Ann", "Bob"]);
    for (const path of ["status", "summary"]) {
      expect((await get(`/${other}/${path}`, eve)).status, path).to.equal(404);
      expect((await get(`/${mine}/${path}`, ann)).status, path).to.equal(200);
    }
  });
});
