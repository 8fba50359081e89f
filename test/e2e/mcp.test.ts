import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import {
  connectMcp,
  taskSession,
  type Elicited,
  membersOf,
  textFrom,
} from "../../services/api/test/mcp-fixture.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { EVERY_SERVICE, removalConfig } from "../support/removal-config.ts";
import { until } from "../support/until.ts";

const TOKEN = "the-token-of-the-tests-0123456789abcdef";
const HEADERS = { authorization: `Bearer ${TOKEN}` };
const CONFIG = removalConfig("the pod was removed", { mcp: { decide: "operators" } });

describe("an investigation as a task over MCP, in the whole system", () => {
  let pipeline: PipelineFixture;

  before(async () => {
    pipeline = await PipelineFixture.start({ config: CONFIG, env: { APPROVAL_TOKEN: TOKEN } });
  });
  after(() => pipeline[Symbol.asyncDispose]());
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });

  it("goes on after the death of every process and of its client, asks once, and is completed", async () => {
    const { system, servers } = pipeline;
    const address = () => system.api;
    const first = await connectMcp(system.api, HEADERS);
    const starting = taskSession(first, address, HEADERS);
    const execution = await starting.callTool("investigate", { data: "pod a is stuck" });
    if (execution.kind !== "task") throw new Error("no task");
    const reference = execution.serializeReference();
    await execution.detach();
    await Promise.all(EVERY_SERVICE.map(async (name) => system.stop(name, "SIGKILL")));
    await first.close();
    await Promise.all(EVERY_SERVICE.map(async (name) => system.startService(name)));

    const asked: string[] = [];
    const elicit: Elicited = (message) => {
      asked.push(message);
      return { action: "accept", content: { decision: "approve", reason: "it is stuck" } };
    };
    const second = await connectMcp(system.api, HEADERS);
    const session = taskSession(second, address, HEADERS, elicit);
    const resumed = await session.resumeTask(structuredClone(reference));
    const { outcome } = await resumed.settle();
    expect(outcome.status).to.equal("completed");
    expect(JSON.stringify(outcome)).to.include("the pod was removed");
    expect(asked).to.have.length(1);
    expect(asked[0]).to.include("k8s.remove").and.include('{"pod":"a"}');
    const calls = await readFile(join(pipeline.configDir, "calls.jsonl"), "utf8");
    expect(calls.trim().split("\n")).to.have.length(1);
    expect(await servers.query("SELECT decided_via, state, reason FROM approvals", [])).to.deep.equal([
      { decided_via: "mcp", state: "approved", reason: "it is stuck" },
    ]);
    expect(await servers.query("SELECT count(*)::int AS n FROM alert_sessions", [])).to.deep.equal([
      { n: 1 },
    ]);
    await session.close();
    await second.close();
  });

  it("reports its events to a client that follows it", async () => {
    const { system } = pipeline;
    const client = await connectMcp(system.api, HEADERS);
    const { structuredContent } = await client.callTool({
      name: "investigate",
      arguments: { data: "again" },
    });
    const id = textFrom(membersOf(structuredContent)["session_id"]);
    const uri = `tarsy://sessions/${id}`;
    const updated: string[] = [];
    client.setNotificationHandler(
      "notifications/resources/updated",
      ({ params }) => void updated.push(params.uri),
    );
    const listening = await client.listen({ resourceSubscriptions: [uri] });
    await client.callTool({
      name: "steer",
      arguments: { session_id: id, mode: "conclude", content: "enough" },
    });
    await until("a notice is there", () => updated.length > 0);
    expect(new Set(updated)).to.deep.equal(new Set([uri]));
    const waited = await client.callTool({
      name: "get_investigation",
      arguments: { session_id: id, wait_seconds: 20 },
    });
    expect(waited.isError).to.not.equal(true);
    await listening.close();
    await client.close();
  });
});
