import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { Type } from "typebox";
import { expect } from "chai";
import { addApiKey } from "#shared/access/api-keys.ts";
import type { Role } from "#shared/access/identity.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { SseClient } from "../../../test/support/sse-client.ts";
import { until } from "../../../test/support/until.ts";
import { apiRoutes } from "../app.ts";
import { ApiFixture } from "./api-fixture.ts";

const parseId = compileParser("accepted alert", Type.Object({ session_id: Type.String() }));
const parseAudit = compileParser(
  "audit page",
  Type.Object({
    entries: Type.Array(
      Type.Object(
        {
          action: Type.String(),
          subject: Type.String(),
          via: Type.String(),
          result: Type.String(),
          session_id: Type.Optional(Type.String()),
        },
        { additionalProperties: true },
      ),
    ),
    has_more: Type.Boolean(),
  }),
);
const parseWaiting = compileParser("waiting backend", Type.Object({ pid: Type.Integer() }));
const stages = [{ name: "look", agents: [{ name: "TestAgent" }] }];
const TARSY = {
  defaults: { llm_provider: "scripted", alert_type: "test" },
  agents: { TestAgent: { mcp_servers: [] } },
  agent_chains: {
    "of-the-team": { alert_types: ["team-alert", "test"], teams: ["platform"], stages },
    "kubernetes-agent-chain": { alert_types: ["kubernetes"], stages },
  },
};

/** Routes without a role that do not answer 200: one checks the credential itself, one takes a cookie back, one needs a state. */
const OPEN_ROUTES: Readonly<Record<string, number>> = {
  "post /api/v1/page-session": 401,
  "delete /api/v1/page-session": 204,
  "get /api/v1/oauth/callback": 400,
};

describe("who may use the api with an API key", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start({
      env: {
        AUTH_MODE: "token",
        BIND_ADDRESS: "0.0.0.0",
        SUBMISSIONS_PER_MINUTE: "50",
        API_MAX_EVENT_STREAMS: "10",
        TRUSTED_PROXIES: "127.0.0.1",
      },
      config: { tarsy: TARSY },
    });
  });
  after(() => api[Symbol.asyncDispose]());

  const key = async (subject: string, roles: Role[], teams: string[] = [], expiresInDays?: number) => {
    const { id, text } = await addApiKey(api.db, { subject, roles, teams, expiresInDays });
    return { id, headers: { authorization: `Bearer ${text}` } };
  };
  const submit = async (headers: Record<string, string>, fields: object = {}) => {
    const body = Buffer.from(JSON.stringify({ data: "x", alert_type: "team-alert", ...fields }));
    return api.raw("POST", "/api/v1/alerts", {
      body,
      headers: { "content-type": "application/json", ...headers },
    });
  };
  const pathOf = (path: string, id: string) =>
    path.replace(":id", id).replace(/:interaction|:approval|:memory/u, randomUUID());

  it("answers 401 on every route but health without a valid key", async () => {
    const { id, headers } = await key("revoked", ["admin"]);
    await api.db.query("UPDATE api_keys SET revoked_at = now() WHERE id = $1", [id]);
    const expired = await key("expired", ["admin"], [], -1);
    const spoofed = { "x-forwarded-user": "root", "x-remote-user": "root", "x-tarsy-proxy-secret": "" };
    const wrong = { authorization: `${headers.authorization.slice(0, -1)}-` };
    for (const { method, path, action } of apiRoutes(api.deps)) {
      const credentials = [{}, headers, expired.headers, wrong, spoofed, { authorization: "Bearer x" }];
      for (const [index, credential] of credentials.entries()) {
        const answer = await api.raw(method.toUpperCase(), pathOf(path, randomUUID()), {
          // Each from an address of its own, which may fail only so often.
          headers: { ...credential, "x-forwarded-for": `10.0.0.${index + 1}` },
        });
        const name = `${method} ${path}`;
        expect(answer.status, name).to.equal(action === undefined ? (OPEN_ROUTES[name] ?? 200) : 401);
        if (action !== undefined) expect(answer.headers.get("www-authenticate")).to.include("Bearer");
      }
    }
  });

  it("lets each role do what it may and answers 403 otherwise", async () => {
    const may: Record<string, readonly Role[]> = {
      "alert.submit": ["submitter", "operator", "admin"],
      "session.fork": ["submitter", "operator", "admin"],
      "session.cancel": ["submitter", "operator", "admin"],
      "session.steer": ["submitter", "operator", "admin"],
      "session.park": ["submitter", "operator", "admin"],
      "session.resume": ["submitter", "operator", "admin"],
      "session.score": ["submitter", "operator", "admin"],
      "session.chat": ["submitter", "operator", "admin"],
      "session.review": ["submitter", "operator", "admin"],
      "memory.change": ["operator", "admin"],
      "approval.decide": ["operator", "admin"],
      "config.read": ["operator", "admin"],
      "budget.read": ["operator", "admin"],
      "budget.change": ["admin"],
      "notification.read": ["operator", "admin"],
      "notification.retry": ["operator", "admin"],
      "mcp.connect": ["admin"],
      "session.delete": ["admin"],
      "audit.read": ["admin"],
    };
    for (const role of ["viewer", "submitter", "operator", "admin"] as const) {
      const { headers } = await key(`a-${role}`, [role]);
      for (const { method, path, action } of apiRoutes(api.deps)) {
        const answer = await api.raw(method.toUpperCase(), pathOf(path, randomUUID()), { headers });
        const isAllowed = action === undefined || (may[action]?.includes(role) ?? true);
        expect(answer.status === 403, `${role}: ${method} ${path}`).to.equal(!isAllowed);
        expect(answer.status).to.not.equal(401);
      }
    }
    const none = await key("nobody", []);
    expect((await api.raw("GET", "/api/v1/alert-types", { headers: none.headers })).status).to.equal(403);
  });

  it("shows a session to its submitter, its team and operators, and to others as if there were none", async () => {
    const [ann, bob] = [await key("ann", ["submitter"]), await key("bob", ["submitter", "viewer"])];
    const mate = await key("mate", ["submitter"], ["platform"]);
    const operator = await key("olga", ["operator"]);
    const { text } = await submit(ann.headers);
    const { session_id: id } = parseId(JSON.parse(text));
    const routes = apiRoutes(api.deps).filter(
      // These two need a role that sees every session.
      ({ path, action }) =>
        path.includes(":id") && action !== "session.delete" && action !== "approval.decide",
    );
    for (const { method, path } of routes) {
      const ask = async (headers: Record<string, string>, session: string, query = "") =>
        api.raw(method.toUpperCase(), `${pathOf(path, session)}${query}`, { headers });
      const [hidden, unknown] = [await ask(bob.headers, id), await ask(bob.headers, randomUUID())];
      expect(hidden.status, path).to.equal(404);
      expect(hidden.text).to.equal(unknown.text);
      // Nothing has a score or a conclusion or has ended, and what the session has not recorded is unknown to everybody.
      const isMissing = path.includes(":interaction") || /\/(?:score|conclusion|cassette)$/u.test(path);
      if (isMissing || method !== "get") continue;
      const query = path.endsWith("/comparison") ? `?with=${id}` : "";
      for (const { headers } of [ann, mate, operator]) {
        expect((await ask(headers, id, query)).status, path).to.equal(200);
      }
    }
    await using stream = await SseClient.open(
      `http://127.0.0.1:${api.port}/api/v1/sessions/${id}/events`,
      bob.headers,
    );
    expect(stream.status).to.equal(404);
    const reader = await key("rita", ["viewer"], ["platform"]);
    for (const [headers, may_change, may_ask] of [
      [ann.headers, true, true],
      [mate.headers, false, true],
      [operator.headers, true, true],
      [reader.headers, false, false],
    ] as const) {
      const { text: shown } = await api.raw("GET", `/api/v1/sessions/${id}`, { headers });
      expect(JSON.parse(shown)).to.include({ may_change, may_ask });
    }
    const cancel = async (headers: Record<string, string>) =>
      (await api.raw("POST", `/api/v1/sessions/${id}/cancel`, { headers })).status;
    expect(await cancel(mate.headers)).to.equal(403);
    expect(await cancel(ann.headers)).to.equal(200);
    const view: unknown = JSON.parse(
      (await api.raw("GET", `/api/v1/sessions/${id}`, { headers: ann.headers })).text,
    );
    expect(view).to.include({ author: "ann", owner_subject: "key:ann" });
  });

  it("ignores the headers of proxies", async () => {
    const { headers } = await key("cleo", ["operator"]);
    const { text } = await submit({ ...headers, "x-forwarded-user": "root" });
    const { session_id: id } = parseId(JSON.parse(text));
    expect(JSON.parse((await api.raw("GET", `/api/v1/sessions/${id}`, { headers })).text)).to.include({
      author: "cleo",
    });
  });

  it("keeps idempotency keys of different submitters apart", async () => {
    const [dan, eve] = [await key("dan", ["submitter"]), await key("eve", ["submitter"])];
    const send = async ({ headers }: typeof dan) =>
      parseId(JSON.parse((await submit({ ...headers, "idempotency-key": "one" })).text)).session_id;
    const first = await send(dan);
    expect(await send(dan)).to.equal(first);
    expect(await send(eve)).to.not.equal(first);
  });

  it("takes a fifth of all submissions of a minute from one identity, and lets others in beside it", async () => {
    const [flood, honest] = [await key("flood", ["submitter"]), await key("honest", ["submitter"])];
    const statuses = [];
    for (let n = 0; n < 30; n += 1) statuses.push(await submit(flood.headers));
    const refused = statuses.filter(({ status: code }) => code === 429);
    expect(refused.length).to.be.within(1, 20);
    expect(Number(refused[0]?.headers.get("retry-after"))).to.be.within(1, 6);
    expect((await submit(honest.headers)).status).to.equal(202);
  });

  it("gives one identity a fifth of the event streams", async () => {
    const [greedy, honest] = [await key("greedy", ["operator"]), await key("modest", ["operator"])];
    const id = parseId(JSON.parse((await submit(honest.headers)).text)).session_id;
    const open = async (headers: Record<string, string>) =>
      SseClient.open(`http://127.0.0.1:${api.port}/api/v1/sessions/${id}/events`, headers);
    await using streams = new AsyncDisposableStack();
    const statuses = [];
    for (let n = 0; n < 3; n += 1) statuses.push(streams.use(await open(greedy.headers)).status);
    expect(statuses).to.deep.equal([200, 200, 429]);
    expect(streams.use(await open(honest.headers)).status).to.equal(200);
  });

  it("keeps no event stream for a client that left while its key was read", async () => {
    const { headers } = await key("hasty", ["operator"]);
    const id = parseId(JSON.parse((await submit((await key("calm", ["operator"])).headers)).text)).session_id;
    const path = `/api/v1/sessions/${id}/events`;
    await api.db.transaction(async (transaction) => {
      await transaction.query("LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE");
      const sockets = [1, 2, 3].map(() => connect(api.port, "127.0.0.1"));
      for (const socket of sockets) {
        const credential = `Authorization: ${headers.authorization}\r\nAccept: text/event-stream`;
        socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${credential}\r\n\r\n`);
      }
      await until("the key is being read", async () => {
        const sql =
          "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FROM api_keys WHERE%'";
        return (await selectRows(api.db, parseWaiting, sql, [])).length > 0;
      });
      for (const socket of sockets) {
        const closed = once(socket, "close");
        socket.destroy();
        await closed;
      }
      // When this is answered the server has seen that they are closed.
      await api.raw("GET", "/api/v1/none");
    });
    await using streams = new AsyncDisposableStack();
    for (let n = 0; n < 2; n += 1) {
      const stream = streams.use(await SseClient.open(`http://127.0.0.1:${api.port}${path}`, headers));
      expect(stream.status).to.equal(200);
    }
  });

  it("ends an event stream when its key expires", async () => {
    const { id: keyId, headers } = await key("brief", ["operator"], [], 1);
    await api.db.query("UPDATE api_keys SET expires_at = now() + interval '8 s' WHERE id = $1", [keyId]);
    const id = parseId(JSON.parse((await submit(headers)).text)).session_id;
    await using stream = await SseClient.open(
      `http://127.0.0.1:${api.port}/api/v1/sessions/${id}/events`,
      headers,
    );
    expect(stream.status).to.equal(200);
    expect(await stream.ended).to.equal("end");
    expect((await submit(headers)).status).to.equal(401);
  });

  it("records who did what, and what was refused, for admins to read", async () => {
    const [ann, bob, root] = [
      await key("fay", ["submitter"]),
      await key("gus", ["submitter"]),
      await key("root", ["admin"]),
    ];
    const id = parseId(JSON.parse((await submit(ann.headers)).text)).session_id;
    await api.raw("GET", `/api/v1/sessions/${id}/trace`, { headers: bob.headers });
    await api.raw("GET", `/api/v1/sessions/${id}/trace`, { headers: ann.headers });
    await api.raw("POST", `/api/v1/sessions/${id}/cancel`, { headers: ann.headers });
    await api.raw("DELETE", `/api/v1/sessions/${id}`, { headers: root.headers });
    const expected = [
      "alert.submit fay allowed",
      "session.cancel fay allowed",
      "session.delete root allowed",
      "trace.read fay allowed",
      "trace.read gus refused",
    ];
    await until("all entries are in the log", async () => {
      const { text } = await api.raw("GET", `/api/v1/audit?session_id=${id}`, { headers: root.headers });
      const { entries } = parseAudit(JSON.parse(text));
      const found = entries.map(({ action, subject, result }) => `${action} ${subject} ${result}`);
      return JSON.stringify(found.toSorted((a, b) => a.localeCompare(b))) === JSON.stringify(expected);
    });
  });
});
