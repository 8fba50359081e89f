import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { GROUPED, groupReads, incident, postAlert } from "./alert-group-fixture.ts";
import { ApiFixture, KEY_ACCESS } from "./api-fixture.ts";

describe("alerts of one incident from clients who may not see each other's sessions", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;

  before(async () => {
    api = resources.use(await ApiFixture.start({ config: GROUPED, env: KEY_ACCESS }));
  });
  after(() => resources.disposeAsync());

  const post = async (alertType: string, data: object, headers: Record<string, string>) =>
    postAlert(api, alertType, data, headers);
  const { count, end } = groupReads(() => api);

  it("are linked without naming the session, and end none that the sender may not see", async () => {
    const ann = await api.keyOf(`ann-${randomUUID()}`, ["submitter"]);
    const bob = await api.keyOf(`bob-${randomUUID()}`, ["submitter"]);
    const about = incident();
    const { id } = await post("concludes", about, ann);
    expect(await post("concludes", about, bob)).to.include({ status: "linked", id: undefined });
    await post("concludes", { ...about, state: "ok" }, bob);
    expect(await count("steering_messages WHERE session_id = $1", [id])).to.equal(0);
    expect(await post("concludes", { ...about, state: "ok" }, ann)).to.include({ id });
    expect(await count("steering_messages WHERE session_id = $1", [id])).to.equal(1);
  });

  it("begin anew once their session is deleted", async () => {
    const about = incident();
    const headers = await api.keyOf(`admin-${randomUUID()}`, ["admin"]);
    const { id } = await post("counts", about, headers);
    await end(id);
    expect(await api.raw("DELETE", `/api/v1/sessions/${id}`, { headers })).to.include({ status: 204 });
    expect(await post("counts", about, headers)).to.include({ status: "queued" });
  });

  it("do not hand on what another's session found", async () => {
    const ann = await api.keyOf(`ann-${randomUUID()}`, ["submitter"]);
    const bob = await api.keyOf(`bob-${randomUUID()}`, ["submitter"]);
    const red = await api.keyOf(`red-${randomUUID()}`, ["submitter"], ["red"]);
    for (const [type, other, from] of [
      ["reopens", bob, null],
      ["red", red, "former"],
    ] as const) {
      const about = incident();
      const { id } = await post(type, about, ann);
      await end(id);
      const next = await post(type, about, other);
      expect(next).to.include({ status: "queued" });
      expect(await api.sessionRow("reopened_from", next.id ?? "")).to.deep.equal({
        reopened_from: from === null ? null : id,
      });
    }
  });
});
