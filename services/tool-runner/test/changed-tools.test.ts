import { env } from "node:process";
import { expect } from "chai";
import { request } from "#shared/bus/request.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import {
  toolCallReplyCodec,
  toolCallRequestCodec,
  type ToolCallAnswer,
  type ToolCallRequest,
} from "#shared/contracts/tool-call.ts";
import { NOTHING_LISTENS } from "../../../test/support/nothing-listens.ts";
import { toolCallRequest } from "../../../test/support/tool-call-request.ts";
import { ToolFixture, type ClaimedSession } from "../../../test/support/tool-fixture.ts";
import { McpServers } from "../mcp/mcp-servers.ts";
import { findServer, hostile, httpAt, settingsOf } from "../mcp/test/server-fixture.ts";
import { serveInProcess } from "./serve-in-process.ts";
import { untilListed } from "./until-listed.ts";

const CONTRACT = { request: toolCallRequestCodec, reply: toolCallReplyCodec };

describe("a call of a tool of an MCP server", () => {
  const resources = new AsyncDisposableStack();
  let fixture: ToolFixture;
  let session: ClaimedSession;

  before(async () => {
    fixture = resources.use(await ToolFixture.start({}));
    session = await fixture.session({ mcp_servers: ["lab"] });
  });
  after(async () => resources.disposeAsync());

  const callOf = (more: Partial<ToolCallRequest>): ToolCallRequest =>
    toolCallRequest(session, "lab.echo", { arguments: "{}", ...more });
  const ask = async (call: ToolCallRequest): Promise<ToolCallAnswer> =>
    (await request(fixture.bus, SUBJECTS.toolsCall, CONTRACT, call, 30_000)).answer;

  it("is refused and never made if the server now describes the tool in another way", async () => {
    // Each of its lists has another description.
    await using servers = new McpServers({ settings: [settingsOf(hostile("changing"))], env });
    await using _ = await serveInProcess(fixture, [], { servers });
    await untilListed(servers, "lab");
    const hash = findServer(servers).listing.last?.tools[0]?.hash ?? "";
    const made = callOf({ definition_hash: hash });
    expect(await ask(made)).to.include({ kind: "result" });
    const changed = callOf({ definition_hash: "another" });
    expect(await ask(changed)).to.deep.equal({ kind: "refused", reason: "tool_changed" });
    expect(await fixture.row(changed.call_id)).to.include({ state: "abandoned" });
    // Its list is a newer one by now: what was made has its outcome all the same.
    expect(findServer(servers).listing.last?.tools[0]?.hash).not.to.equal(hash);
    expect(await ask(made)).to.include({ kind: "result" });
    const gone = callOf({ name: "lab.gone", definition_hash: "any" });
    expect(await ask(gone)).to.deep.equal({ kind: "refused", reason: "tool_changed" });
    expect(await ask(callOf({ name: "lab.gone" }))).to.deep.equal({ kind: "unknown_tool" });
  });

  it("fails with the reason if the server cannot be asked for its tools, and is not made", async () => {
    const lab = settingsOf(httpAt(NOTHING_LISTENS));
    await using servers = new McpServers({ settings: [lab], env });
    await using _ = await serveInProcess(fixture, [], { servers });
    const call = callOf({ definition_hash: "any", effect: "read" });
    const answer = await ask(call);
    expect(answer).to.have.property("kind", "exception");
    expect(answer)
      .to.have.property("message")
      .that.matches(/^lab cannot be reached: .*; the call was not made$/u);
  });
});
