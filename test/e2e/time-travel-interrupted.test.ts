import { expect } from "chai";
import { describeNightly } from "../support/nightly.ts";
import { KeptViews } from "../support/kept-views.ts";
import { until } from "../support/until.ts";
import { ApiFixture } from "../../services/api/test/api-fixture.ts";
import { installWritePoints, type WritePoints } from "../../services/executor/test/write-points.ts";
import { RunFixture } from "../../services/executor/test/run-fixture.ts";
import { callTurn } from "../../services/executor/test/scripted-turns.ts";
import { ToolRunnerFixture } from "../../services/executor/test/tool-runner-fixture.ts";

const TOKEN = "the-token-of-the-tests-0123456789abcdef";
const WITH_TOOLS = { strategy: "native-thinking", servers: ["k8s"], stages: [["First", "Second"]] } as const;
const JUDGE = "Judge of Investigations";

describeNightly("a session as it was, interrupted", () => {
  const resources = new AsyncDisposableStack();
  let runs: RunFixture;
  let api: ApiFixture;
  let loseLeaseAtWrite: WritePoints["kill"];

  before(async () => {
    runs = resources.use(await RunFixture.start());
    const { servers } = runs.executor;
    resources.use(await ToolRunnerFixture.start(servers));
    api = resources.use(await ApiFixture.start({ servers, env: { APPROVAL_TOKEN: TOKEN } }));
    ({ kill: loseLeaseAtWrite } = await installWritePoints(runs.executor));
  });
  after(() => resources.disposeAsync());

  const get = async (path: string): Promise<unknown> => {
    const { status, text } = await api.raw("GET", path);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return JSON.parse(text);
  };
  const post = async (path: string, body: object): Promise<void> => {
    const { status, text } = await api.raw("POST", `/api/v1/sessions/${path}`, {
      headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}` },
      body: Buffer.from(JSON.stringify(body)),
    });
    expect(status, text).to.be.oneOf([200, 202]);
  };
  const follow = async (options: object) => {
    const id = await runs.executor.insert(options);
    const views = new KeptViews(get, id, api.db);
    await views.keep();
    return { id, views, [Symbol.dispose]: views.follow(runs.executor.db)[Symbol.dispose] };
  };

  it("is shown across takeovers after lost leases, and with its score", async () => {
    await runs.play(
      { when: { contains: JUDGE, call: 1 }, steps: [{ text: "It is clear.\n\n72" }] },
      { when: { contains: JUDGE }, steps: [{ text: "No tools are missing." }] },
      callTurn("native-thinking", 1, "k8s.pods", { n: 1 }),
      { when: { contains: "Bring the results" }, steps: [{ text: "all agree" }] },
      { steps: [{ thinking: "so" }, { text: "it was the memory" }] },
    );
    using followed = await follow({ ...WITH_TOOLS, isScored: true });
    const { id, views } = followed;
    for (const writes of [4, 5]) {
      await loseLeaseAtWrite(id, writes);
      expect(await runs.run(id)).to.equal("lost");
    }
    expect(await runs.run(id)).to.equal("completed");
    expect(await runs.run(id)).to.equal("followed-up");
    expect(views.moments.length).to.be.greaterThan(20);
    await views.check();
  });

  it("is shown while a person is asked, is told something, and cancels", async () => {
    await runs.play(callTurn("native-thinking", 1, "k8s.remove", { pod: "a" }), {
      steps: [{ text: "one two three four five six", chunk_size: 1, chunk_delay: "40ms" }],
    });
    using followed = await follow({ ...WITH_TOOLS, stages: [["First"]] });
    const { id, views } = followed;
    expect(await runs.run(id)).to.equal("waiting");
    const [approval] = await runs.executor.query(
      "SELECT approval_id AS id FROM approvals WHERE session_id = $1",
      [id],
    );
    const approvalId = /"id":"([^"]+)"/u.exec(JSON.stringify(approval))?.[1] ?? "";
    await views.after(async () => post(`${id}/messages`, { content: "it was rolled back", mode: "note" }));
    await views.after(async () =>
      post(`${id}/approvals/${approvalId}`, { decision: "approve", reason: "fine" }),
    );
    const run = await runs.begin(id);
    await until("the model answers", async () =>
      JSON.stringify(await runs.timelineRows(id)).includes("llm_response streaming"),
    );
    await views.after(async () => post(`${id}/cancel`, {}));
    runs.stop(id, "user");
    expect(await run.end).to.equal("cancelled");
    expect(views.moments.length).to.be.greaterThan(10);
    await views.check();
  });
});
