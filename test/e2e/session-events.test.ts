import { expect } from "chai";
import { describeNightly } from "../support/nightly.ts";
import { SseClient } from "../support/sse-client.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import type { TarsyClient } from "../support/tarsy-client.ts";
import type { TarsySystem } from "../support/tarsy-system.ts";

describeNightly("a session's events over HTTP, through all five services", () => {
  let pipeline: PipelineFixture;
  let system: TarsySystem;
  let client: TarsyClient;

  before(async () => {
    pipeline = await PipelineFixture.start();
    ({ system, client } = pipeline);
  });
  after(() => pipeline[Symbol.asyncDispose]());
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });

  it("are the same over SSE, as a page and on the WebSocket", async () => {
    const id = await client.submit("disk full on node-7");
    await using stream = await SseClient.open(`${system.api}/api/v1/sessions/${id}/events`);
    using watch = await client.watch(id, { after_seq: 0 });
    await watch.next("session.completed");
    expect(await stream.ended).to.equal("end");
    expect(stream.events.map(({ data }) => data)).to.deep.equal(watch.events());
    const { body } = await client.request("GET", `/api/v1/sessions/${id}/events`);
    expect(body["events"]).to.deep.equal(watch.events());
    expect(body).to.include({ has_more: false, last_seq: watch.events().length });
  });

  it("end cleanly over SSE when the api stops", async () => {
    await system.stop("executor", "SIGKILL");
    const id = await client.submit("no executor is running");
    await using stream = await SseClient.open(`${system.api}/api/v1/sessions/${id}/events`);
    expect(stream.status).to.equal(200);
    expect(await system.stop("api", "SIGTERM")).to.equal(0);
    expect(await stream.ended).to.equal("end");
  });
});
