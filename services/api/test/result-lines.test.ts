import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { toolCallId } from "#shared/contracts/tool-call.ts";
import { ApiFixture, KEY_ACCESS } from "./api-fixture.ts";
import { seedSession } from "./seed-sessions.ts";

const parseCall = compileParser(
  "seeded call",
  Type.Object({ call: Type.String(), execution: Type.String() }),
);
const SEED = `
INSERT INTO mcp_interactions (interaction_id, session_id, stage_id, execution_id, interaction_type, server_name, outcome)
SELECT gen_random_uuid(), session_id, stage_id, execution_id, 'tool_call', 's', '{"kind": "result", "iteration": 2, "index": 1}'
FROM agent_executions WHERE session_id = $1 RETURNING interaction_id::text AS call, execution_id::text AS execution`;

const KEEP =
  "INSERT INTO tool_results (call_id, session_id, bytes, lines, content) VALUES ($1, $2, octet_length($4), $3, $4)";

describe("lines of a kept result", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start({ env: KEY_ACCESS });
  });
  after(() => api[Symbol.asyncDispose]());

  const seeded = async (content?: string, lines = 0) => {
    const id = await seedSession(api.db, { owner: "key:ann" });
    const { call, execution } = parseCall((await api.db.query(SEED, [id]))[0]);
    const callId = toolCallId(execution, { iteration: 2, index: 1 });
    if (content !== undefined) await api.db.query(KEEP, [callId, id, lines, content]);
    return { id, call };
  };
  const reader = async (subject: string) => {
    const headers = await api.keyOf(subject, ["viewer"]);
    return async ({ id, call }: { readonly id: string; readonly call: string }, query = "") => {
      const path = `/api/v1/sessions/${id}/trace/mcp/${call}/result${query}`;
      const { status, text } = await api.raw("GET", path, { headers });
      const body: unknown = JSON.parse(text);
      return { status, body };
    };
  };

  it("are those that agents count, as they were kept", async () => {
    const read = await reader("ann");
    const long = "x".repeat(2_500);
    const kept = await seeded(`first\n\n<b>\u202E</b>\r\n${long}\nlast`, 7);
    const of = async (query: string) => (await read(kept, query)).body;
    expect(await of("?from=1&lines=3")).to.deep.equal({
      from: 1,
      total: 7,
      text: "first\n\n<b>\u202E</b>\r",
    });
    // A long line counts as several, and its pieces are put together.
    expect(await of("?from=5&lines=2")).to.deep.equal({ from: 5, total: 7, text: long.slice(1_000) });
    expect(await of("?from=7")).to.deep.equal({ from: 7, total: 7, text: "last" });
    expect(await of("?from=8")).to.deep.equal({ from: 8, total: 7, text: "" });
    expect(await of("")).to.deep.include({ from: 1, total: 7 });
  });

  it("are at most 200, and there are none of a result that is shown whole, nor of another session's", async () => {
    const read = await reader("ann");
    const kept = await seeded(`${"line\n".repeat(999)}line`, 1_000);
    expect((await read(kept, "?from=801&lines=200")).body).to.deep.equal({
      from: 801,
      total: 1_000,
      text: `${"line\n".repeat(199)}line`,
    });
    expect((await read(kept, "?lines=201")).status).to.equal(400);
    expect((await read(kept, "?from=0")).status).to.equal(400);
    expect((await read(await seeded())).status).to.equal(404);
    expect((await read({ ...(await seeded()), call: kept.call })).status).to.equal(404);
    expect((await (await reader("bob"))(kept)).status).to.equal(404);
  });
});
