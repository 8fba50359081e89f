import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { until } from "../../../test/support/until.ts";
import { Outbound } from "../notifications/http/outbound.ts";
import { openDestinations } from "../notifications/notify.ts";
import { sendNotifications } from "../notifications/send-notifications.ts";
import { ADMIN_ACCESS, ApiFixture } from "./api-fixture.ts";

const TARGETS = [
  { type: "pagerduty_note", user: "tarsy@example.com", key: "/id", path: "/incidents/K-1/notes" },
  { type: "github_issue", project: "acme/shop", key: "/id", path: "/repos/acme/shop/issues/K-1/comments" },
  { type: "gitlab_issue", project: "acme/shop", key: "/id", path: "/projects/acme%2Fshop/issues/K-1/notes" },
  { type: "jira", user: "bot@example.com", key: "/id", path: "/rest/api/3/issue/K-1/comment" },
  { type: "servicenow", user: "bot", key: "/id", path: "/api/now/table/incident/K-1" },
  { type: "grafana_annotation", path: "/api/annotations" },
  { type: "opsgenie_note", key: "/id", path: "/v2/alerts/K-1/notes" },
] as const;

const parseComment = compileParser("comment", Type.Object({ body: Type.String() }));

/** More than one page. */
const OLDER_NOTES = Array.from({ length: 120 }, (_, n) => `an older note ${n}`);

type Fault = "none" | "lost answer" | "429" | "500" | "500 after the write" | "404";

/** What the systems keep, whatever their form: each note that was written, by its path. */
class NotesServer implements AsyncDisposable {
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly notes: { readonly path: string; readonly body: string; readonly authorization: string }[] = [];
  fault: Fault = "none";
  url = "";

  static async open(): Promise<NotesServer> {
    const server = new NotesServer();
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    const address = server.#server.address();
    server.url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
    return server;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(request);
    const { url: path = "", headers } = request;
    if (request.method === "GET") return this.#end(response, 200, JSON.stringify(this.#page(path)));
    const { fault } = this;
    this.fault = "none";
    if (fault === "429") {
      response.setHeader("retry-after", "1");
      return this.#end(response, 429, "slower");
    }
    if (fault === "404") return this.#end(response, 404, "no such thing");
    if (fault === "500") return this.#end(response, 500, "oops");
    const authorization = [headers.authorization, headers["private-token"]].join("");
    this.notes.push({ path, body, authorization });
    if (fault === "lost answer") return void response.destroy();
    return this.#end(response, fault === "500 after the write" ? 502 : 201, "{}");
  }

  /** In the order, from the time on and with the limit that the path names, as far as the system has them. */
  #page(path: string): readonly string[] {
    const limit = /(?:per_page|maxResults|sysparm_limit|limit)=(\d+)/u.exec(path)?.[1];
    const isNewestFirst = /sort=desc|orderBy=-created|ORDERBYDESC|^\/v2\/alerts/u.test(path);
    const ours = this.notes.map((note) => note.body);
    const all = path.includes("since=") ? ours : [...OLDER_NOTES, ...ours];
    return (isNewestFirst ? all.toReversed() : all).slice(
      0,
      limit === undefined ? all.length : Number(limit),
    );
  }

  #end(response: ServerResponse, status: number, text: string): void {
    response.statusCode = status;
    response.end(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

describe("notes in other systems", () => {
  let resources: AsyncDisposableStack;
  let server: NotesServer;
  let api: ApiFixture;

  before(async () => {
    resources = new AsyncDisposableStack();
    server = resources.use(await NotesServer.open());
    const write_back = TARGETS.map(({ path: _path, ...target }) => ({
      name: target.type.replace("_", "-"),
      url: server.url,
      token_env: "WRITE_TOKEN",
      ...target,
    }));
    api = resources.use(
      await ApiFixture.start({
        config: { tarsy: { system: { notifications: { write_back } } } },
        env: { ...ADMIN_ACCESS, WRITE_TOKEN: "the-token" },
      }),
    );
  });
  beforeEach(() => {
    server.notes.length = 0;
    server.fault = "none";
  });
  after(() => resources.disposeAsync());

  /** A session that ends, with one destination alone. */
  const endOne = async (type: string, data = '{"id": "K-1"}') => {
    const id = await api.accepted(JSON.stringify({ data }));
    const name = `note:${type.replace("_", "-")}`;
    await api.servers.query(
      "UPDATE alert_sessions SET notify = jsonb_build_object($2::text, '[\"session.ended\"]'::jsonb) WHERE session_id = $1",
      [id, name],
    );
    await api.servers.query(
      "UPDATE alert_sessions SET status = 'completed', completed_at = now(), final_analysis = 'what tools said' WHERE session_id = $1",
      [id],
    );
    return id;
  };
  const states = async (id: string) => {
    const rows = await api.servers.query("SELECT state FROM outbox WHERE session_id = $1", [id]);
    return rows.map((row) => String(Reflect.get(Object(row), "state"))).join(" ");
  };
  /** Sends until the session's row is settled. */
  const send = async (id: string) => {
    const { db, log, metrics, config, masker } = api.deps;
    const stopping = new AbortController();
    await using outbound = new Outbound();
    const destinations = openDestinations(config.notifications, { db, outbound });
    const { pageUrl } = config.notifications;
    const deps = { db, log, metrics, destinations, masker, pageUrl };
    const sending = sendNotifications(deps, stopping.signal, { everyMs: 20 });
    await until("it is settled", async () => {
      await api.servers.query("UPDATE outbox SET not_before = now() WHERE state = 'pending'", []);
      await api.servers.query("UPDATE notification_destinations SET not_before = NULL", []);
      return (await states(id)) !== "pending";
    });
    stopping.abort(new Error("the test stops it"));
    await sending;
    return await states(id);
  };

  for (const { type, path } of TARGETS) {
    it(`are one, with a link and without what tools said: ${type}`, async () => {
      const id = await endOne(type);
      expect(await send(id)).to.equal("sent");
      expect(server.notes).to.have.length(1);
      expect(server.notes[0]?.path).to.equal(path);
      expect(server.notes[0]?.body).to.contain(`/sessions/${id}`).and.not.contain("what tools said");
      const given = server.notes[0]?.authorization ?? "";
      expect(
        given.includes("the-token") ||
          Buffer.from(given.slice(6), "base64").toString().includes(":the-token"),
      ).to.equal(true);
    });

    for (const fault of ["lost answer", "500 after the write", "429", "500"] as const) {
      it(`are one after ${fault}: ${type}`, async () => {
        const id = await endOne(type);
        server.fault = fault;
        expect(await send(id)).to.equal("sent");
        expect(server.notes.filter(({ body }) => body.includes(id))).to.have.length(1);
      });
    }

    it(`are one after the death of an api that has written it: ${type}`, async () => {
      const id = await endOne(type);
      await send(id);
      // What a killed process leaves.
      await api.servers.query(
        `UPDATE outbox SET state = 'pending', settled_at = NULL, receipt = NULL, lease_token = gen_random_uuid(),
           lease_expires_at = now() - interval '1 s' WHERE session_id = $1`,
        [id],
      );
      expect(await send(id)).to.equal("sent");
      expect(server.notes).to.have.length(1);
    });

    it(`are given up where the place is gone: ${type}`, async () => {
      const id = await endOne(type);
      server.fault = "404";
      expect(await send(id)).to.equal("dead");
      expect(server.notes).to.deep.equal([]);
    });
  }

  it("are not written if the alert names no place, or one that would lead elsewhere", async () => {
    for (const data of ["text", "{}", '{"id": "../../users"}', '{"id": ".."}', '{"id": "a/b"}']) {
      const id = await endOne("jira", data);
      expect(await send(id), data).to.equal("dropped");
    }
    expect(server.notes).to.deep.equal([]);
  });

  it("have status, summary and at most five claims, which name no one where text is Markdown", async () => {
    const id = await endOne("github_issue");
    const claims = Array.from({ length: 7 }, (_, n) => ({
      text: `claim ${n} of @everyone \`\`\`\n[x](http://y)`,
    }));
    await api.servers.query(
      `WITH g AS (INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count)
         VALUES (gen_random_uuid(), $1, 's', 1, 1) RETURNING stage_id, session_id),
       e AS (INSERT INTO agent_executions (execution_id, stage_id, session_id, agent_name, agent_index, iteration_strategy, iteration_state, llm_provider)
         SELECT gen_random_uuid(), stage_id, session_id, 'A', 1, 'react', '{}', 'p' FROM g RETURNING execution_id, session_id)
       INSERT INTO conclusions (execution_id, attempt, session_id, contract, rules, status, stated_status, confidence, body, remarks, checked, claims_verified, claims_total, seq)
       SELECT execution_id, 1, session_id, 'rca.v1', 1, 'likely', 'likely', 80, $2::jsonb, '[]', '[]', 0, 0, 1 FROM e`,
      [id, JSON.stringify({ summary: "the disk is full", causes: [], claims })],
    );
    expect(await send(id)).to.equal("sent");
    const text = parseComment(JSON.parse(server.notes[0]?.body ?? "{}")).body;
    expect(text).to.match(/^TARSy: completed, likely\n\n````text\nthe disk is full\n- claim 0/u);
    expect(text).to.contain("claim 4").and.not.contain("claim 5");
    expect(text).to.contain(`\n\`\`\`\`\n\nhttp://localhost:8080/sessions/${id}\n\n<!-- tarsy:${id} -->`);
  });
});
