import { expect } from "chai";
import { NotifierFixture } from "./notifier-fixture.ts";
import { TestClient } from "./test-client.ts";

describe("notifier: takeovers", () => {
  let fixture: NotifierFixture;

  before(async () => {
    fixture = await NotifierFixture.start();
  });
  after(async () => fixture[Symbol.asyncDispose]());

  it("are sent on /ws, and not on /api/v1/ws, whose contract has no such message", async () => {
    const { url } = await fixture.notifier();
    const session = await fixture.newSession();
    using exact = await TestClient.connect(url);
    using dialect = await TestClient.connect(url.replace("/ws", "/api/v1/ws"));
    const [takeover, status] = [{ epoch: 2, silent_ms: 21_000 }, session.status("cancelling")];
    for (const client of [exact, dialect]) await client.subscribe(`session:${session.id}`);
    await session.emit({ type: "session.taken_over", session_id: session.id, ...takeover }, status);
    for (const client of [exact, dialect]) await client.until(() => client.of("session.status").length === 1);
    expect(exact.of("session.taken_over")).to.have.length(1);
    expect(exact.of("session.taken_over")[0]).to.include(takeover);
    expect(dialect.of("session.taken_over")).to.deep.equal([]);
    expect(dialect.of("error")).to.deep.equal([]);
  });
});
