import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { SocketMessage } from "#shared/contract-view/socket-message.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { NotifierFixture } from "./notifier-fixture.ts";
import { TestClient } from "./test-client.ts";

const parseMessage = compileParser("message of the dialect", SocketMessage);

describe("notifier: agents of agents on /api/v1/ws", () => {
  let fixture: NotifierFixture;
  let url: string;

  before(async () => {
    fixture = await NotifierFixture.start();
    ({ url } = await fixture.notifier());
    url = url.replace("/ws", "/api/v1/ws");
  });
  after(async () => fixture[Symbol.asyncDispose]());

  it("shows what an agent has started in the stage of that agent, and says whose it is", async () => {
    const session = await fixture.newSession();
    const [[parent], child] = [session.executionIds, randomUUID()];
    const of = { session_id: session.id, stage_id: session.stageId, execution_id: child };
    using client = await TestClient.connect(url);
    await client.subscribe(`session:${session.id}`);
    await session.emit(
      {
        type: "stage.started",
        session_id: session.id,
        stage_id: session.stageId,
        stage_name: "analysis",
        stage_index: 1,
        status: "active",
      },
      {
        type: "execution.status",
        ...of,
        parent_execution_id: parent,
        agent_name: "Logs",
        // The third index of the stage is its synthesis.
        agent_index: 3,
        status: "active",
      },
      { ...session.whole("look"), ...of, parent_execution_id: parent, event_type: "task_assigned" },
    );
    await client.until(() => client.of("timeline_event.created").length === 1);
    const own = { ...of, parent_execution_id: parent };
    expect(client.of("execution.status")[0]).to.include({ ...own, agent_index: 3 });
    expect(client.of("timeline_event.created")[0]).to.include({ ...own, event_type: "task_assigned" });
    expect(client.of("stage.status")).to.have.length(1);
    for (const type of ["execution.status", "timeline_event.created"]) {
      for (const message of client.of(type)) parseMessage(message);
    }
  });
});
