import { expect } from "chai";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { SessionListResponse } from "../schemas/sessions.ts";
import { ApiFixture } from "./api-fixture.ts";
import { seedSession } from "./seed-sessions.ts";

const parseList = compileParser("list", SessionListResponse);

describe("what a list tells of a session's alert and questions", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start();
  });
  after(() => api[Symbol.asyncDispose]());
  beforeEach(async () => {
    await api.servers.query("DELETE FROM alert_sessions", []);
  });

  const list = async () => parseList(JSON.parse((await api.raw("GET", "/api/v1/sessions")).text)).sessions;

  it("tells an alert by its title, and reads only the beginning of a large one", async () => {
    const large = JSON.stringify({ alerts: [{ summary: "Pods restart", log: "é".repeat(500_000) }] });
    await seedSession(api.db, { alert: large, age: 1 });
    await seedSession(api.db, { alert: "\nDisk of worker-3 is full\nmore", age: 2 });
    await seedSession(api.db, { alert: "💾".repeat(5_000), age: 3 });
    const previews = (await list()).map(({ alert_preview }) => alert_preview);
    expect(previews.slice(0, 2)).to.deep.equal(["Pods restart", "Disk of worker-3 is full"]);
    expect(previews[2]?.length).to.be.within(190, 200);
  });

  it("counts the open questions of a session that runs", async () => {
    const running = await seedSession(api.db, { status: "in_progress", duration: null, age: 1 });
    const ended = await seedSession(api.db, { age: 2 });
    for (const [id, state] of [
      [running, "awaiting_approval"],
      [running, "awaiting_approval"],
      [running, "denied"],
      [ended, "awaiting_approval"],
    ]) {
      await api.servers.query(
        `INSERT INTO approvals (approval_id, session_id, execution_id, call_id, tool, arguments, arguments_hash, state, expires_at)
         VALUES (gen_random_uuid(), $1, gen_random_uuid(), gen_random_uuid(), 'k8s.remove', '{}', 'h', $2, now())`,
        [id, state],
      );
    }
    const sessions = await list();
    expect(sessions.map(({ open_approvals }) => open_approvals)).to.deep.equal([2, 0]);
  });
});
