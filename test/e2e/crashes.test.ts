import { expect } from "chai";
import type { BackingServers } from "../support/backing-servers.ts";
import { NIGHTLY, itNightly } from "../support/nightly.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { GATED_SCRIPT } from "../support/scripts.ts";
import type { SessionView, SessionWatch, TarsyClient } from "../support/tarsy-client.ts";
import type { ServiceName, TarsySystem } from "../support/tarsy-system.ts";

describe("the pipeline, when services and servers die", () => {
  let pipeline: PipelineFixture;
  let servers: BackingServers;
  let system: TarsySystem;
  let client: TarsyClient;

  before(async () => {
    pipeline = await PipelineFixture.start({ ownServers: true, config: { script: GATED_SCRIPT } });
    ({ servers, system, client } = pipeline);
  });
  after(() => pipeline[Symbol.asyncDispose]());
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });

  /** Expects a completed session whose events are numbered from 1 without a gap. */
  const expectComplete = async (id: string) => {
    const session = await client.waitFor(id, ["completed", "failed", "cancelled", "timed_out"]);
    expect(session.status, session.error_message ?? "").to.equal("completed");
    using watch = await client.watch(id, { after_seq: 0 });
    await watch.next("session.completed");
    const seqs = watch.events().map(({ seq }) => seq);
    expect(seqs).to.deep.equal(seqs.map((_, index) => index + 1));
    return session;
  };

  /** Expects the streamed text of the agent's rows to be their content. The summary is not streamed. */
  const expectStreamed = async (watch: SessionWatch, { timeline }: SessionView) => {
    // Another client may see the end earlier.
    await watch.next("session.completed");
    for (const { event_id, event_type, content } of timeline) {
      if (event_type !== "executive_summary") expect(watch.streamed(event_id)).to.equal(content);
    }
  };

  /** The epochs in which another executor went on. */
  const takeovers = (watch: SessionWatch) =>
    watch.messages.filter(({ type }) => type === "session.taken_over").map(({ epoch }) => epoch);

  // The losses of the executor and of the gateway are tested below.
  const services: ServiceName[] = ["api", "notifier", "executor", "llm-gateway", "tool-runner"];
  for (const name of NIGHTLY ? services : []) {
    it(`completes the next alert after ${name} was killed and restarted`, async () => {
      await system.stop(name, "SIGKILL");
      await system.startService(name);
      await expectComplete(await client.submit(`after the death of ${name}`));
    });
  }

  it("repeats the model call when the gateway dies during it", async () => {
    const { id, watch } = await pipeline.submitWatched("SLOW");
    using _ = watch;
    await watch.next("stream.chunk");
    await system.stop("llm-gateway", "SIGKILL");
    await system.startService("llm-gateway");
    const session = await expectComplete(id);
    expect(session.timeline.map(({ event_type }) => event_type)).to.deep.equal([
      "llm_thinking",
      "final_analysis",
      "executive_summary",
    ]);
    await expectStreamed(watch, session);
  });

  itNightly("continues in the same rows after its executor was killed, and counts an attempt", async () => {
    const { id, watch } = await pipeline.submitWatched("SLOW");
    using _ = watch;
    await watch.next("stream.chunk");
    const before = await client.session(id);
    await system.stop("executor", "SIGKILL");
    await system.startService("executor");
    const session = await expectComplete(id);
    expect(session.timeline.map(({ event_id }) => event_id)).to.include(before.timeline[0]?.event_id);
    expect(session.timeline.map(({ status }) => status)).to.deep.equal([
      "completed",
      "completed",
      "completed",
    ]);
    await expectStreamed(watch, session);
    expect(takeovers(watch)).to.deep.equal([2]);
    // From its rows, too, once.
    using later = await client.watch(id, { after_seq: 0 });
    await later.next("session.completed");
    expect(takeovers(later)).to.deep.equal([2]);
  });

  it("releases a session immediately when its executor is stopped, without counting an attempt", async () => {
    const id = await client.submit("HANG");
    using watch = await client.watch(id, { after_seq: 0 });
    await watch.next("stream.chunk");
    const first = system.find("executor");
    await system.startService("executor");
    expect(await system.end(first, "SIGTERM")).to.equal(0);
    const chunks = () =>
      watch.messages.filter(({ type, attempt }) => type === "stream.chunk" && Number(attempt) > 1);
    await watch.until("a chunk of the second attempt", () => chunks().length > 0);
    const rows: unknown = await servers.query(
      "SELECT attempts, lease_epoch FROM session_runtime WHERE session_id = $1",
      [id],
    );
    expect(rows).to.deep.equal([{ attempts: 0, lease_epoch: 2 }]);
    await client.request("POST", `/api/v1/sessions/${id}/cancel`);
    await client.waitFor(id, ["cancelled"]);
    await watch.next("session.completed");
    expect(takeovers(watch)).to.deep.equal([]);
  });

  itNightly("accepts alerts while NATS is down and runs them after its restart", async () => {
    await servers.killNats();
    const ids = await Promise.all([1, 2, 3].map((n) => client.submit(`without NATS ${n}`)));
    await servers.restartNats();
    for (const id of ids) await expectComplete(id);
  });

  it("answers 503 while Postgres is down and needs no restart afterwards", async () => {
    await servers.stopPostgres();
    const { status, body } = await client.request("POST", "/api/v1/alerts", { data: "no database" });
    expect(status).to.equal(503);
    expect(body["message"]).to.equal("the database is unavailable: try again in a moment");
    await servers.restartPostgres();
    await expectComplete(await client.submitUntilAccepted("Postgres is back"));
  });
});
