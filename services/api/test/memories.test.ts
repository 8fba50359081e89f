import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { Type } from "typebox";
import type { Role } from "#shared/access/identity.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { InjectedMemoriesResponse, MemoryListResponse, MemoryPageResponse } from "../memories/contract.ts";
import { ApiFixture, KEY_ACCESS } from "./api-fixture.ts";
import { seedSession } from "./seed-sessions.ts";

const parseList = compileParser("memories", MemoryListResponse);
const parseInjected = compileParser("injected memories", InjectedMemoriesResponse);
const parsePage = compileParser("page of memories", MemoryPageResponse);
const parseValues = compileParser(
  "stored memory",
  Type.Object({ confidence: Type.Number(), deprecated: Type.Boolean() }),
);
const config = {
  tarsy: {
    defaults: { llm_provider: "scripted", alert_type: "test", memory: { enabled: true } },
    agents: { TestAgent: { mcp_servers: [] } },
    agent_chains: {
      "test-chain": { alert_types: ["test"], stages: [{ name: "look", agents: [{ name: "TestAgent" }] }] },
    },
  },
};

describe("what was learned from sessions, in the api", () => {
  let api: ApiFixture;
  before(async () => {
    api = await ApiFixture.start({ env: KEY_ACCESS, config });
  });
  after(() => api[Symbol.asyncDispose]());

  const key = async (subject: string, role: Role, teams: string[] = []) => ({
    ...(await api.keyOf(subject, [role], teams)),
    "content-type": "application/json",
  });
  const remember = async (memory: {
    content: string;
    owner?: string;
    teams?: string[];
    source?: string;
    origin?: string;
  }) => {
    const id = randomUUID();
    await api.servers.query(
      `INSERT INTO investigation_memories (memory_id, content, category, valence, base_confidence, owner_subject, teams, source_session_id, origin)
       VALUES ($1, $2, 'procedural', 'neutral', 0.7, $3, $4, $5, $6)`,
      [
        id,
        memory.content,
        memory.owner ?? null,
        memory.teams ?? [],
        memory.source ?? null,
        memory.origin ?? "investigation",
      ],
    );
    return id;
  };
  const send = async (method: string, path: string, headers: Record<string, string>, body?: object) =>
    api.raw(method, `/api/v1/${path}`, {
      headers,
      ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
    });
  const get = async (path: string, headers: Record<string, string>): Promise<unknown> => {
    const answer = await send("GET", path, headers);
    expect(answer.status, answer.text).to.equal(200);
    return JSON.parse(answer.text);
  };

  it("is seen by those who may see its source, and by no one else", async () => {
    const [eve, mate] = [await key("eve", "viewer", ["b"]), await key("mate", "viewer", ["a"])];
    const olga = await key("olga", "operator");
    const source = await seedSession(api.db, { owner: "key:ann", teams: ["a"] });
    const asking = await seedSession(api.db, { owner: "key:eve" });
    const id = await remember({ content: "look first", owner: "key:ann", teams: ["a"], source });
    await api.servers.query(
      "INSERT INTO session_memories (execution_id, memory_id, session_id, position) VALUES ($1, $3, $4, 1), ($2, $3, $4, 1)",
      [randomUUID(), randomUUID(), id, asking],
    );
    for (const headers of [mate, olga]) {
      const [memory] = parseList(await get(`sessions/${source}/memories`, headers));
      expect(memory).to.include({ memory_id: id, content: "look first", confidence: 0.7, deprecated: false });
      expect(await get(`memories/${id}`, headers)).to.deep.equal(memory);
    }
    expect((await send("GET", `memories/${id}`, eve)).status).to.equal(404);
    expect((await send("GET", `sessions/${source}/memories`, eve)).status).to.equal(404);
    const nothing = { total: 0, total_pages: 0, enabled: true, may_change: false };
    expect(parsePage(await get("memories", eve))).to.include(nothing);
    expect(parsePage(await get("memories", olga))).to.include({ may_change: true });
    expect(await get(`sessions/${source}`, olga)).to.include({ memory_enabled: true });
    expect(await get(`sessions/${asking}/injected-memories`, eve)).to.deep.equal([]);
    const [injected] = parseInjected(await get(`sessions/${asking}/injected-memories`, olga));
    expect(injected?.execution_ids).to.have.length(2);
  });

  it("is paged and filtered", async () => {
    const olga = await key("olga-2", "operator");
    const source = await seedSession(api.db, {});
    for (const content of ["one", "two", "three"]) await remember({ content, source });
    const page = async (query: string) =>
      parsePage(await get(`memories?source_session_id=${source}${query}`, olga));
    expect(await page("&page_size=2&page=2")).to.include({ total: 3, page: 2, page_size: 2, total_pages: 2 });
    expect((await page("&page_size=2&page=2")).memories).to.have.length(1);
    expect((await page("&category=semantic")).total).to.equal(0);
    expect((await page("&valence=neutral&deprecated=false")).total).to.equal(3);
    for (const query of ["page_size=201", "category=x", "deprecated=1", "source_session_id=x"]) {
      expect((await send("GET", `memories?${query}`, olga)).status, query).to.equal(400);
    }
  });

  it("is corrected and deleted by operators, with secrets masked", async () => {
    const olga = await key("olga-3", "operator");
    const id = await remember({ content: "old" });
    expect((await send("PATCH", `memories/${id}`, await key("sue", "submitter"), {})).status).to.equal(403);
    for (const body of [{}, { content: " " }, { content: "x".repeat(2_001) }, { category: "x" }]) {
      expect((await send("PATCH", `memories/${id}`, olga, body)).status, JSON.stringify(body)).to.equal(400);
    }
    const secret = "password: Hunter2-and-more";
    const change = { content: `use ${secret}`, valence: "negative", deprecated: true };
    const { status, text } = await send("PATCH", `memories/${id}`, olga, change);
    expect(status).to.equal(200);
    const changed = await get(`memories/${id}`, olga);
    expect(JSON.parse(text)).to.deep.equal(changed);
    expect(changed).to.include({ valence: "negative", deprecated: true, category: "procedural" });
    expect(JSON.stringify(changed)).to.not.include("Hunter2");
    expect((await send("DELETE", `memories/${id}`, olga)).status).to.equal(204);
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const body = method === "PATCH" ? { deprecated: true } : undefined;
      expect((await send(method, `memories/${id}`, olga, body)).status, method).to.equal(404);
    }
  });

  it("is as sure as the last rating says, whatever the ratings before", async () => {
    const olga = await key("olga-4", "operator");
    const source = await seedSession(api.db, { status: "completed" });
    const id = await remember({ content: "rated", source });
    const own = await remember({ content: "said by the reviewer", source, origin: "feedback" });
    const review = async (action: string, quality_rating?: string) => {
      const body = {
        session_ids: [source],
        action,
        ...(quality_rating === undefined ? {} : { quality_rating }),
      };
      expect((await send("PATCH", "sessions/review", olga, body)).text).to.include('"success":true');
      const [row] = await api.servers.query(
        "SELECT round(confidence::numeric, 3)::float8 AS confidence, deprecated FROM investigation_memories WHERE memory_id = $1",
        [id],
      );
      const { confidence, deprecated } = parseValues(row);
      return [confidence, deprecated];
    };
    expect(await review("complete", "accurate")).to.deep.equal([0.84, false]);
    expect(await review("complete", "inaccurate")).to.deep.equal([0.7, true]);
    expect(await review("complete", "accurate")).to.deep.equal([0.84, false]);
    expect(await review("update_feedback", "partially_accurate")).to.deep.equal([0.42, false]);
    expect(await review("reopen")).to.deep.equal([0.7, false]);
    expect(await review("complete", "inaccurate")).to.deep.equal([0.7, true]);
    expect((await send("PATCH", `memories/${id}`, olga, { deprecated: false })).status).to.equal(200);
    expect(await get(`memories/${id}`, olga)).to.include({ deprecated: false });
    expect(await get(`memories/${own}`, olga)).to.include({ confidence: 0.7, deprecated: false });
  });
});
