import { expect } from "chai";
import { KeptViews } from "../support/kept-views.ts";
import { ApiFixture } from "../../services/api/test/api-fixture.ts";
import { ask } from "../../services/executor/test/follow-up-fixture.ts";
import { answerTurn, callStep } from "../../services/executor/test/scripted-turns.ts";
import { SubAgentFixture, dispatches, ofChild } from "../../services/executor/test/sub-agent-fixture.ts";

describe("a session as it was", () => {
  const resources = new AsyncDisposableStack();
  let sub: SubAgentFixture;
  let api: ApiFixture;

  before(async () => {
    sub = resources.use(await SubAgentFixture.start());
    api = resources.use(await ApiFixture.start({ servers: sub.runs.executor.servers }));
    await sub.runs.play(
      { when: { contains: "CURRENT TASK" }, steps: [{ text: "the answer" }] },
      { when: { contains: "Bring the results" }, steps: [{ text: "all agree" }] },
      ofChild(
        {
          when: { call: 1 },
          steps: [{ thinking: "hm" }, callStep("native-thinking", "k8s.pods", { n: 1 })],
        },
        "job-a",
      ),
      ofChild(answerTurn("native-thinking", "node 7 is full"), "job-a"),
      ofChild(answerTurn("native-thinking", "node 8 is fine"), "job-b"),
      dispatches("native-thinking", "job-a", "job-b"),
      {
        when: { contains: ["node 7 is full", "node 8 is fine"] },
        steps: answerTurn("native-thinking", "move the pods").steps,
      },
      { steps: [{ text: "I wait", chunk_size: 2, chunk_delay: "5ms" }] },
    );
  });
  after(() => resources.disposeAsync());

  const get = async (path: string): Promise<unknown> => {
    const { status, text } = await api.raw("GET", path);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return JSON.parse(text);
  };

  it("is shown after each commit of parallel agents and sub-agents, of a question and of a review", async () => {
    const { executor } = sub.runs;
    const id = await sub.insert({ childServers: ["k8s"], stages: [["First", "Second"]] });
    const views = new KeptViews(get, id, api.db);
    await views.keep();
    {
      using _ = views.follow(executor.db);
      // Each answer is opened in a commit of its own, as those of models that take their time.
      expect(await sub.runs.run(id, {}, { atOnceMs: 0 })).to.equal("completed");
      await views.after(async () => ask(executor, id));
      expect(await sub.runs.run(id)).to.equal("followed-up");
    }
    for (const body of [
      { action: "claim" },
      { action: "complete", quality_rating: "accurate", investigation_feedback: "well done" },
    ]) {
      await views.after(async () =>
        api.client.request("PATCH", "/api/v1/sessions/review", { session_ids: [id], ...body }),
      );
    }
    expect(views.moments.length).to.be.greaterThan(30);
    expect(views.moments[0]).to.equal(0);
    await views.check();
  });
});
