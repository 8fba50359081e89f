import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect } from "chai";
import { Editor } from "../../scripts/test/suites/acp.ts";
import { connectMcp, membersOf, taskSession, textFrom } from "../../services/api/test/mcp-fixture.ts";
import { AguiAgent } from "../support/agui-agent.ts";
import { describeNightly } from "../support/nightly.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { EVERY_SERVICE, removalConfig } from "../support/removal-config.ts";
import { until } from "../support/until.ts";

const TOKEN = "the-token-of-the-tests-0123456789abcdef";
const HEADERS = { authorization: `Bearer ${TOKEN}` };
const CONFIG = removalConfig("the pod was removed");
const POLLS = 1_000;

/** What clients of both packages have. */
interface ToolClient {
  callTool(call: { readonly name: string; readonly arguments: Record<string, unknown> }): Promise<object>;
  close(): Promise<void>;
}

/** Reads the result after the deaths. */
type Reader = () => Promise<string>;

describeNightly("the official clients of MCP, AG-UI and ACP", () => {
  const resources = new AsyncDisposableStack();
  let pipeline: PipelineFixture;

  before(async () => {
    pipeline = resources.use(await PipelineFixture.start({ config: CONFIG, env: { APPROVAL_TOKEN: TOKEN } }));
  });
  after(() => resources.disposeAsync());
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });

  const address = () => pipeline.system.api;
  const older = async () => {
    const client = new OlderClient({ name: "older", version: "1" });
    await client.connect(
      new OlderTransport(new URL("/mcp", address()), { requestInit: { headers: HEADERS } }),
    );
    return client;
  };
  /** Those of the same methods in both packages. */
  const throughTools = async (connect: () => Promise<ToolClient>): Promise<Reader> => {
    const first = await connect();
    const started = await first.callTool({
      name: "investigate",
      arguments: { data: "a is stuck" },
    });
    const session_id = textFrom(membersOf(membersOf(started)["structuredContent"])["session_id"]);
    await first.close();
    return async () => {
      const later = await connect();
      const read = async (wait_seconds: number) =>
        later.callTool({ name: "get_investigation", arguments: { session_id, wait_seconds } });
      await until("it is completed", async () =>
        JSON.stringify(membersOf(await read(20))["structuredContent"]).includes('"completed"'),
      );
      let result = "";
      for (let n = 0; n < POLLS; n += 1) result = JSON.stringify(membersOf(await read(0))["content"]);
      await later.close();
      return result;
    };
  };
  const throughTasks = async (): Promise<Reader> => {
    const first = await connectMcp(address(), HEADERS);
    const execution = await taskSession(first, address, HEADERS).callTool("investigate", {
      data: "a is stuck",
    });
    if (execution.kind !== "task") throw new Error("no task");
    const reference = execution.serializeReference();
    await execution.detach();
    await first.close();
    return async () => {
      const client = await connectMcp(address(), HEADERS);
      const session = taskSession(client, address, HEADERS);
      const { outcome } = await (await session.resumeTask(structuredClone(reference))).settle();
      await session.close();
      await client.close();
      return JSON.stringify(outcome);
    };
  };
  const throughAgui = async (): Promise<Reader> => {
    const agent = new AguiAgent({ url: `${address()}/api/v1/agui`, headers: HEADERS });
    agent.say("a is stuck");
    let isStarted = false;
    const broken = agent.run({ onEvent: () => (isStarted = true) }).catch(() => undefined);
    await until("the run begins", () => isStarted);
    return async () => {
      const { interrupts = [] } = (await broken) ?? {};
      // They were decided elsewhere meanwhile.
      const resume = interrupts.map(({ id }) => ({
        interruptId: id,
        status: "resolved" as const,
        payload: { approved: true },
      }));
      return JSON.stringify((await agent.run({ resume })).messages);
    };
  };
  const throughAcp = async (): Promise<Reader> => {
    const editor = resources.use(
      new Editor({ api: address(), ws: pipeline.system.ws, state: pipeline.configDir }, []),
    );
    const running = editor.prompt(await editor.begin(), "a is stuck");
    return async () => `${await running}: ${editor.textOf("agent_message_chunk")}`;
  };

  it("start investigations, and read what came of them after the death of every process, whose calls are made once", async () => {
    const { system, servers } = pipeline;
    const readers = [
      await throughTools(async () => connectMcp(address(), HEADERS)),
      await throughTools(async () => connectMcp(address(), HEADERS, { mode: "legacy" })),
      await throughTools(older),
      await throughTasks(),
      await throughAgui(),
      await throughAcp(),
    ];
    const awaited = async () => servers.query("SELECT FROM approvals", []);
    const asked = async () =>
      servers.query(
        "SELECT session_id AS session, approval_id AS approval FROM approvals WHERE state = 'awaiting_approval'",
        [],
      );
    // The editor's user answers at once.
    await until("all have asked a person", async () => (await awaited()).length === readers.length);
    await Promise.all(EVERY_SERVICE.map(async (name) => system.stop(name, "SIGKILL")));
    await Promise.all(EVERY_SERVICE.map(async (name) => system.startService(name)));
    for (const row of await asked()) {
      const { session, approval } = membersOf(row);
      const { status } = await fetch(
        `${address()}/api/v1/sessions/${textFrom(session)}/approvals/${textFrom(approval)}`,
        {
          method: "POST",
          headers: { ...HEADERS, "content-type": "application/json" },
          body: '{"decision":"approve"}',
        },
      );
      expect(status).to.be.oneOf([200, 409]);
    }
    for (const read of readers) expect(await read()).to.include("the pod was removed");
    const calls = await readFile(join(pipeline.configDir, "calls.jsonl"), "utf8");
    expect(calls.trim().split("\n")).to.have.length(readers.length);
    expect(await servers.query("SELECT count(*)::int AS n FROM alert_sessions", [])).to.deep.equal([
      { n: readers.length },
    ]);
  });
});
