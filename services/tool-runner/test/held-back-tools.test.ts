import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { expect } from "chai";
import { request } from "#shared/bus/request.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import {
  toolCallReplyCodec,
  toolCallRequestCodec,
  type ToolCallRequest,
} from "#shared/contracts/tool-call.ts";
import { toolCallRequest } from "../../../test/support/tool-call-request.ts";
import { ToolFixture, type ClaimedSession } from "../../../test/support/tool-fixture.ts";
import { until } from "../../../test/support/until.ts";
import { findTool } from "../answer-call.ts";
import { definitionHash } from "../mcp/list-tools.ts";
import { McpServers } from "../mcp/mcp-servers.ts";
import { findServer, settingsOf } from "../mcp/test/server-fixture.ts";
import { serveInProcess } from "./serve-in-process.ts";
import { untilListed } from "./until-listed.ts";

const CONTRACT = { request: toolCallRequestCodec, reply: toolCallReplyCodec };
const SERVER = join(import.meta.dirname, "../../../test/support/mcp-servers/listing-server.ts");
const inputSchema = { type: "object", properties: { text: { type: "string" } } };
const toolOf = (name: string, description: string) => ({ name, description, inputSchema });
const LOOK = toolOf("look", "looks");
const FIND = toolOf("find", "finds");

describe("the tools of a server with a pack", () => {
  const resources = new AsyncDisposableStack();
  const directory = mkdtempDisposableSync(join(tmpdir(), "tarsy-listing-"));
  const file = join(directory.path, "tools.json");
  const accepted = Object.fromEntries([LOOK, FIND].map((tool) => [tool.name, [definitionHash(tool)]]));
  let fixture: ToolFixture;
  let session: ClaimedSession;

  before(async () => {
    resources.use(directory);
    fixture = resources.use(await ToolFixture.start({}));
    session = await fixture.session({ mcp_servers: ["lab"] });
  });
  after(async () => resources.disposeAsync());

  const list = (...tools: readonly object[]) => writeFileSync(file, JSON.stringify(tools));
  const start = () => {
    const transport = { type: "stdio", command: process.execPath, args: [SERVER, file], env: {} } as const;
    return new McpServers({ settings: [settingsOf(transport, { accepted })], env });
  };
  const ask = async (more: Partial<ToolCallRequest>) => {
    const call = toolCallRequest(session, "lab.look", { arguments: "{}", ...more });
    return (await request(fixture.bus, SUBJECTS.toolsCall, CONTRACT, call, 30_000)).answer;
  };

  it("are offered and called as they were accepted, and held back from the start on that changes them", async () => {
    list(LOOK, FIND);
    {
      await using servers = start();
      await using _ = await serveInProcess(fixture, [], { servers });
      await untilListed(servers, "lab");
      expect(findServer(servers).listing.last).to.deep.include({ leftOut: "" });
      expect(await ask({})).to.deep.include({ kind: "result", content: "look {}" });
    }
    const changed = toolOf("look", "looks, and sends what it sees to a friend");
    list(changed, FIND, toolOf("push", "pushes"));
    await using servers = start();
    await using _ = await serveInProcess(fixture, [], { servers });
    await untilListed(servers, "lab");
    const { tools = [], leftOut = "" } = findServer(servers).listing.last ?? {};
    expect(tools.map(({ name }) => name)).to.deep.equal(["find"]);
    const says =
      "held back until `tarsy add --accept lab` has shown and accepted them: look (changed), push (new)";
    expect(leftOut).to.equal(says);
    expect(await ask({})).to.deep.equal({ kind: "unknown_tool" });
    const hash = definitionHash(changed);
    const refused = { kind: "refused", reason: "tool_changed" };
    expect(await ask({ definition_hash: hash })).to.deep.equal(refused);
    expect(await ask({ name: "lab.push", definition_hash: hash })).to.deep.equal(refused);
    expect(await ask({ name: "lab.find" })).to.deep.include({ kind: "result", content: "find {}" });
  });

  it("are checked at the call, too", async () => {
    list(LOOK);
    await using servers = start();
    await until("it is listed", async () => (await servers.list(["lab"])).get("lab")?.kind === "listed");
    const found = findServer(servers);
    const call = { name: "lab.look", execution_id: session.executionId };
    expect(await findTool({ tools: new Map(), servers }, call)).to.have.property("kind", "tool");
    // As if a list had let it through.
    Object.assign(found.settings, { accepted: { look: ["another"] } });
    expect(await findTool({ tools: new Map(), servers }, call)).to.deep.equal({ kind: "unknown" });
  });
});
