import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { TERMINAL_STATUSES } from "#shared/contracts/statuses.ts";
import { until } from "../../../test/support/until.ts";
import { NotificationsFixture } from "./notifications-fixture.ts";

describe("the outbox", () => {
  let fixture: NotificationsFixture;

  before(async () => {
    fixture = await NotificationsFixture.start();
  });
  after(() => fixture[Symbol.asyncDispose]());

  const kinds = async (id: string) =>
    (await fixture.rows(id)).map(({ kind, destination }) => `${kind} → ${destination}`);

  for (const status of TERMINAL_STATUSES) {
    it(`gets a row for each destination with the end of a session as ${status}`, async () => {
      const id = await fixture.submit();
      await fixture.begin(id);
      expect(await kinds(id)).to.deep.equal([]);
      await fixture.end(id, status);
      expect(await kinds(id)).to.have.members(["session.ended → slack", "session.ended → webhook:ops"]);
    });
  }

  it("gets the end of a session that is cancelled before its start, written by the api", async () => {
    const id = await fixture.submit();
    const { status } = await fixture.api.client.request("POST", `/api/v1/sessions/${id}/cancel`);
    expect(status).to.equal(200);
    expect(await kinds(id)).to.have.members(["session.ended → slack", "session.ended → webhook:ops"]);
  });

  it("gets the start only of a session with a fingerprint that is not blank", async () => {
    const [named, without, blank] = [
      await fixture.submit({ slack_message_fingerprint: "Disk full on db-7" }),
      await fixture.submit(),
      await fixture.submit({ slack_message_fingerprint: " \n\t " }),
    ];
    for (const id of [named, without, blank]) await fixture.begin(id);
    expect(await kinds(named)).to.deep.equal(["session.started → slack"]);
    expect(await kinds(without)).to.deep.equal([]);
    expect(await kinds(blank)).to.deep.equal([]);
  });

  it("gets one row however often a session starts or ends, and none if the transaction is rolled back", async () => {
    const id = await fixture.submit({ slack_message_fingerprint: "twice" });
    const { servers } = fixture.api;
    const rolledBack = `BEGIN; UPDATE alert_sessions SET status = 'in_progress' WHERE session_id = '${id}'; ROLLBACK`;
    await servers.query(rolledBack, []);
    expect(await kinds(id)).to.deep.equal([]);
    await fixture.begin(id);
    await servers.query("UPDATE alert_sessions SET status = 'pending' WHERE session_id = $1", [id]);
    await fixture.begin(id);
    expect(await kinds(id)).to.deep.equal(["session.started → slack"]);
  });

  it("gets a question to a person", async () => {
    const id = await fixture.submit();
    await fixture.begin(id);
    await ask(fixture, id);
    expect(await kinds(id)).to.have.members([
      "approval.requested → slack",
      "approval.requested → webhook:ops",
    ]);
  });

  it("gets nothing of a session that was submitted while there was no destination", async () => {
    await using quiet = await NotificationsFixture.start({ slack: false, hook: false });
    const id = await quiet.submit({ slack_message_fingerprint: "x" });
    await quiet.begin(id);
    await ask(quiet, id);
    await quiet.end(id);
    expect(await quiet.rows(id)).to.deep.equal([]);
    expect(await quiet.api.sessionRow("notify", id)).to.deep.equal({ notify: null });
  });

  it("goes with its session", async () => {
    const id = await fixture.submit();
    await fixture.begin(id);
    await fixture.end(id);
    await fixture.api.servers.query("DELETE FROM alert_sessions WHERE session_id = $1", [id]);
    expect(await fixture.rows(id)).to.deep.equal([]);
  });

  it("drops what is to be said of a session that was deleted meanwhile, and questions that were answered", async () => {
    const [deleted, answered] = [await fixture.submit(), await fixture.submit()];
    for (const id of [deleted, answered]) await fixture.begin(id);
    await ask(fixture, answered);
    await fixture.end(deleted);
    await fixture.api.servers.query("UPDATE alert_sessions SET deleted_at = now() WHERE session_id = $1", [
      deleted,
    ]);
    await fixture.api.servers.query(
      "UPDATE approvals SET state = 'approved', decided_at = now(), decided_by = 'ann'",
      [],
    );
    const { stop } = fixture.send();
    await until("all is settled", async () =>
      [...(await fixture.rows(deleted)), ...(await fixture.rows(answered))].every(
        ({ state }) => state !== "pending",
      ),
    );
    await stop();
    for (const id of [deleted, answered]) {
      expect((await fixture.rows(id)).map(({ state }) => state)).to.deep.equal(["dropped", "dropped"]);
      expect(fixture.received(id)).to.deep.equal([]);
      expect(fixture.posted(id)).to.deep.equal([]);
    }
  });
});

async function ask({ api }: NotificationsFixture, id: string): Promise<void> {
  await api.servers.query(
    `INSERT INTO approvals (approval_id, session_id, execution_id, call_id, tool, arguments, arguments_hash, state, expires_at)
     VALUES ($1, $2, $3, $4, 'k8s.remove', '{"pod":"a"}', 'h', 'awaiting_approval', now() + interval '1 h')`,
    [randomUUID(), id, randomUUID(), randomUUID()],
  );
}
