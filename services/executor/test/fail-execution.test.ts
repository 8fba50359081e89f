import { expect } from "chai";
import { TerminalError } from "#shared/errors.ts";
import { nextSessionStep } from "../next-session-step.ts";
import { commitStep } from "../persist/commit-step.ts";
import { failExecution } from "../persist/fail-execution.ts";
import { loadSession } from "../state/session-state.ts";
import { startStage } from "../persist/stage-rows.ts";
import { TimelineWriter } from "../persist/timeline-writer.ts";
import { ExecutorFixture } from "./executor-fixture.ts";

describe("failExecution", () => {
  let executor: ExecutorFixture;

  before(async () => {
    executor = await ExecutorFixture.start();
  });
  after(() => executor[Symbol.asyncDispose]());

  it("stores and sends all text of the failed agent, and leaves the rows of other agents open", async () => {
    const id = await executor.insert({ stages: [["Ann", "Ben"]] });
    const heard = await executor.listen(id);
    await using session = await executor.own(id);
    const next = async () => nextSessionStep(await loadSession(executor.db, id));
    const first = await next();
    if (first.kind === "start-stage") await commitStep(session, [startStage(id, first)]);
    const step = await next();
    if (step.kind !== "run-executions") throw new Error(`the next step is ${step.kind}`);
    const [ann, ben] = step.runs;
    if (ann === undefined || ben === undefined) throw new Error("there are not two agents");
    for (const { execution } of [ann, ben]) {
      const timeline = new TimelineWriter(
        { sessionId: id, execution, iteration: 1, timeline: { nextSequence: 1, open: new Map() } },
        { streams: session.streams, commit: async (opened) => commitStep(session, [opened]) },
      );
      await timeline.begin("answer", {});
      await timeline.append("answer", `${execution.agent_name} says`);
    }
    await failExecution(session, step.stage, ann.execution, new TerminalError("id_taken", "it is taken"));
    expect(
      await executor.query(
        "SELECT status, content FROM timeline_events WHERE session_id = $1 ORDER BY content DESC",
        [id],
      ),
    ).to.deep.equal([
      { status: "failed", content: "Ann says" },
      { status: "streaming", content: "" },
    ]);
    expect(session.streams.all().map((stream) => stream.text())).to.deep.equal(["Ben says"]);
    await session.publisher.settled();
    await executor.bus.connection.flush();
    const chunks = heard.flatMap((message) => ("delta" in message ? [message.delta] : []));
    expect(chunks).to.include("Ann says");
  });
});
