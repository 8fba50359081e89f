import { expect } from "chai";
import { addApiKey } from "#shared/access/api-keys.ts";
import type { Role } from "#shared/access/identity.ts";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { ApiFixture } from "./api-fixture.ts";
import { TARSY } from "./webhook-bodies.ts";

const parseObject = compileParser("JSON object", Type.Record(Type.String(), Type.Unknown()));
const parseList = compileParser(
  "sessions",
  Type.Object({ sessions: Type.Array(Type.Unknown()) }, { additionalProperties: true }),
);

describe("the score of a session", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start({
      env: { AUTH_MODE: "token", BIND_ADDRESS: "0.0.0.0" },
      config: {
        tarsy: {
          ...TARSY,
          agent_chains: {
            ...TARSY.agent_chains,
            plain: { ...TARSY.agent_chains.plain, teams: ["platform"] },
          },
          system: {},
        },
      },
    });
  });
  after(() => api[Symbol.asyncDispose]());

  const key = async (subject: string, role: Role, teams: string[] = []) => {
    const { text } = await addApiKey(api.db, { subject, roles: [role], teams, expiresInDays: undefined });
    return { authorization: `Bearer ${text}`, "content-type": "application/json" };
  };
  const ask = async (method: string, path: string, headers: Record<string, string>) => {
    const { status, text } = await api.raw(method, `/api/v1/sessions${path}`, { headers });
    return { status, body: parseObject(JSON.parse(text)) };
  };
  const submit = async (headers: Record<string, string>, status: string): Promise<string> => {
    const body = Buffer.from('{"data":"x"}');
    const id = String(
      parseObject(JSON.parse((await api.raw("POST", "/api/v1/alerts", { body, headers })).text))[
        "session_id"
      ],
    );
    await api.servers.query(
      `UPDATE alert_sessions SET status = $2::session_status, started_at = now(),
         completed_at = CASE WHEN $2 <> 'in_progress' THEN now() END WHERE session_id = $1`,
      [id, status],
    );
    return id;
  };
  /** Ends the open scoring as an executor does. */
  const end = async (id: string, status: string, score: number | null) =>
    api.servers.query(
      `WITH f AS (UPDATE follow_ups SET status = 'completed' WHERE session_id = $1)
       UPDATE session_scores SET status = $2, total_score = $3 WHERE session_id = $1 AND status = 'pending'`,
      [id, status, score],
    );

  it("is asked for by its submitter and operators, once at a time, after any end", async () => {
    const ann = await key("ann", "submitter");
    const running = await submit(ann, "in_progress");
    expect(await ask("POST", `/${running}/score`, ann)).to.deep.equal({
      status: 409,
      body: { message: "session is not in a terminal state" },
    });
    const id = await submit(ann, "failed");
    expect(await ask("GET", `/${id}/score`, ann)).to.deep.equal({
      status: 404,
      body: { message: "the session has no score" },
    });
    const others = [await key("vic", "viewer", ["platform"]), await key("mate", "submitter", ["platform"])];
    for (const headers of others) expect((await ask("POST", `/${id}/score`, headers)).status).to.equal(403);
    expect((await ask("POST", `/${id}/score`, await key("eve", "submitter"))).status).to.equal(404);

    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => ask("POST", `/${id}/score`, ann)),
    );
    const accepted = answers.filter(({ status }) => status === 202);
    expect(accepted).to.have.length(1);
    const refused = { status: 409, body: { message: "scoring already in progress for this session" } };
    expect(answers.filter(({ status }) => status !== 202)).to.deep.equal(
      Array.from({ length: 7 }, () => refused),
    );
    const score_id = accepted[0]?.body["score_id"];
    expect((await ask("GET", `/${id}/score`, ann)).body).to.include({
      score_id,
      status: "pending",
      total_score: null,
      score_triggered_by: "ann",
    });
    expect((await ask("GET", `/${id}`, ann)).body).to.include({
      score_id,
      scoring_status: "pending",
      latest_score: null,
    });
    const [row] = await api.servers.query(
      `SELECT f.kind, f.status::text, f.asked_by, g.stage_name, g.stage_type, e.agent_name, e.iteration_strategy::text AS strategy
       FROM follow_ups f JOIN stages g USING (stage_id) JOIN agent_executions e USING (stage_id) WHERE f.session_id = $1`,
      [id],
    );
    expect(row).to.deep.equal({
      kind: "score",
      status: "pending",
      asked_by: "ann",
      stage_name: "Reflection",
      stage_type: "scoring",
      agent_name: "ScoringAgent",
      strategy: "scoring",
    });
    await end(id, "failed", null);
    expect((await ask("POST", `/${id}/score`, await key("oda", "operator"))).status).to.equal(202);
  });

  it("is part of the lists, which filter and sort by it", async () => {
    const ann = await key("bea", "submitter");
    const scored: string[] = [];
    for (const [status, score] of [
      ["completed", 40],
      ["completed", 90],
      ["failed", null],
      ["pending", null],
    ] as const) {
      const id = await submit(ann, "completed");
      expect((await ask("POST", `/${id}/score`, ann)).status).to.equal(202);
      if (status !== "pending") await end(id, status, score);
      scored.push(id);
    }
    const plain = await submit(ann, "completed");
    const list = async (query: string) => {
      const { text } = await api.raw("GET", `/api/v1/sessions?author=bea&${query}`, { headers: ann });
      return parseList(JSON.parse(text)).sessions.map((item) => parseObject(item));
    };
    const ids = async (query: string) => (await list(query)).map(({ id }) => id);
    expect(await ids("scoring_status=scored&sort_by=score")).to.deep.equal([scored[1], scored[0]]);
    expect(await ids("scoring_status=scoring_failed")).to.deep.equal([scored[2]]);
    expect(await ids("scoring_status=scoring_in_progress")).to.deep.equal([scored[3]]);
    expect(await ids("scoring_status=not_scored")).to.deep.equal([plain]);
    await api.servers.query(
      "UPDATE session_scores SET status = 'memorizing', total_score = 70 WHERE session_id = $1",
      [scored[3]],
    );
    const [memorizing] = await list("scoring_status=scoring_in_progress");
    expect(memorizing).to.include({ id: scored[3], scoring_status: "memorizing", latest_score: null });
    expect((await ask("GET", `/${scored[3]}/score`, ann)).body).to.include({
      status: "memorizing",
      total_score: 70,
    });
    const [lowest] = await list("sort_by=score&sort_order=asc&page_size=1");
    expect(lowest).to.include({ id: scored[0], latest_score: 40, scoring_status: "completed" });
    expect((await ids("sort_by=score&sort_order=asc")).slice(0, 2)).to.deep.equal([scored[0], scored[1]]);
  });
});
