import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { GROUPED, groupReads, incident, postAlert } from "./alert-group-fixture.ts";
import { ApiFixture } from "./api-fixture.ts";

describe("alerts of one incident at several apis", () => {
  const resources = new AsyncDisposableStack();
  let apis: ApiFixture[];

  before(async () => {
    const first = resources.use(await ApiFixture.start({ config: GROUPED }));
    const { servers } = first;
    const another = async () => resources.use(await ApiFixture.start({ config: GROUPED, servers }));
    apis = [first, await another(), await another()];
  });
  after(() => resources.disposeAsync());

  const at = (n: number): ApiFixture => {
    const api = apis[n % apis.length];
    if (api === undefined) throw new Error("no api");
    return api;
  };
  const { count, end, rows } = groupReads(() => at(0));
  const all = async <T>(length: number, work: (n: number) => Promise<T>) =>
    Promise.all(Array.from({ length }, async (_, n) => work(n)));

  it("have one session for each group, whatever else is submitted meanwhile", async () => {
    const groups = Array.from({ length: 5 }, incident);
    const answers = await all(300, async (n) =>
      n % 6 === 5 ? postAlert(at(n), "alone", { n }) : postAlert(at(n), "counts", { ...groups[n % 6], n }),
    );
    expect(new Set(answers.map(({ code }) => code))).to.deep.equal(new Set([202]));
    const grouped = answers.filter((_, n) => n % 6 !== 5);
    const ids = new Set(grouped.map(({ id }) => id));
    expect(ids).to.have.property("size", 5);
    expect(grouped.filter(({ status }) => status === "queued")).to.have.length(5);
    for (const id of ids) {
      const ordinals = await at(0).servers.query(
        "SELECT array_agg(ordinal ORDER BY ordinal) = array(SELECT generate_series(1, 50)) AS whole FROM group_alerts WHERE session_id = $1",
        [id],
      );
      expect(ordinals).to.deep.equal([{ whole: true }]);
    }
  });

  it("reopen an incident once, however many are late at the same moment", async () => {
    const about = incident();
    const { id } = await postAlert(at(0), "reopens", about);
    await end(id);
    const answers = await all(30, async (n) => postAlert(at(n), "reopens", { ...about, n }));
    const next = new Set(answers.map((answer) => answer.id));
    expect(next).to.have.property("size", 1);
    expect([...next]).to.not.include(id);
    expect(answers.filter(({ status }) => status === "queued")).to.have.length(1);
  });

  it("with one key for several groups: one of them has it, the others are another request", async () => {
    for (let round = 0; round < 10; round++) {
      const key = randomUUID();
      const answers = await all(9, async (n) =>
        postAlert(at(n), "counts", { ...incident(), round }, { "idempotency-key": key }),
      );
      const codes = answers.map(({ code }) => code).toSorted((a, b) => a - b);
      expect(codes).to.deep.equal([202, ...Array.from({ length: 8 }, () => 422)]);
      expect(
        await count("idempotency_keys WHERE session_id = $1", [answers.find(({ code }) => code === 202)?.id]),
      ).to.equal(1);
    }
    expect(await count("alert_groups WHERE session_id IS NULL", [])).to.equal(0);
  });

  it("do not fail because Postgres refuses one of them", async () => {
    const { servers } = at(0);
    await servers.query(
      `CREATE FUNCTION refuse_poison() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN IF NEW.data LIKE '%POISON%' THEN RAISE EXCEPTION 'refused'; END IF; RETURN NEW; END $$`,
      [],
    );
    await servers.query(
      "CREATE TRIGGER refuse_poison BEFORE INSERT ON group_alerts FOR EACH ROW EXECUTE FUNCTION refuse_poison()",
      [],
    );
    const about = incident();
    const { id } = await postAlert(at(0), "counts", about);
    const answers = await all(20, async (n) =>
      postAlert(at(0), "counts", { ...about, text: n === 7 ? "POISON" : n }),
    );
    expect(answers.map(({ code }) => code)).to.deep.equal(
      Array.from({ length: 20 }, (_, n) => (n === 7 ? 500 : 202)),
    );
    expect(await rows(id)).to.have.length(20);
    expect(await count("alert_groups WHERE session_id = $1 AND count = 20", [id])).to.equal(1);
  });

  it("wait for the lock of their group only, and answer 503 if it is held for long", async () => {
    const [held, free] = [incident(), incident()];
    const { id } = await postAlert(at(0), "counts", held);
    const db = at(1).db;
    await db.transaction(async (transaction) => {
      await transaction.query("SELECT 1 FROM alert_groups WHERE session_id = $1 FOR UPDATE", [id]);
      const waiting = postAlert(at(0), "counts", held);
      expect(await postAlert(at(0), "counts", free)).to.include({ code: 202, status: "queued" });
      expect(await postAlert(at(0), "alone", free)).to.include({ code: 202, status: "queued" });
      expect(await waiting).to.include({ code: 503 });
    });
    expect(await postAlert(at(0), "counts", held)).to.include({ status: "linked", id });
    expect(await rows(id)).to.have.length(2);
  });
});
