import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { pino } from "pino";
import { openBus } from "#shared/bus/open-bus.ts";
import { request } from "#shared/bus/request.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { toolCallReplyCodec, toolCallRequestCodec } from "#shared/contracts/tool-call.ts";
import { toolListReplyCodec, toolListRequestCodec } from "#shared/contracts/tool-list.ts";
import { BackingServers } from "../../../test/support/backing-servers.ts";
import { loadConfig } from "../config.ts";
import { serveTools } from "../serve-tools.ts";

const CALLS = { request: toolCallRequestCodec, reply: toolCallReplyCodec };
const LISTS = { request: toolListRequestCodec, reply: toolListReplyCodec };

describe("serveTools", () => {
  const resources = new AsyncDisposableStack();
  let servers: BackingServers;

  before(async () => {
    servers = resources.use(await BackingServers.start());
  });
  after(() => resources.disposeAsync());

  const connect = async () => {
    const { signal } = new AbortController();
    const log = pino({ level: "silent" });
    return resources.use(await openBus({ url: servers.nats.url, name: "test", log, signal }));
  };
  const ids = { session_id: randomUUID(), execution_id: randomUUID() };
  const call = {
    ...ids,
    call_id: "call-1",
    epoch: 1,
    name: "server.tool",
    arguments: '{"a":1}',
    deadline: new Date().toISOString(),
  };

  it("lists no tools and answers a call with what it would have been", async () => {
    const bus = await connect();
    using _ = await serveTools(await connect());
    const listed = await request(bus, SUBJECTS.toolsList, LISTS, { ...ids, server_ids: ["server"] }, 5_000);
    expect(listed).to.deep.equal({ tools: [] });
    expect(await request(bus, SUBJECTS.toolsCall, CALLS, call, 5_000)).to.deep.equal({
      call_id: "call-1",
      content: '[stub] Tool "server.tool" called with args: {"a":1}',
      is_error: false,
    });
  });

  it("shares the requests with its replicas: each is answered once", async () => {
    const bus = await connect();
    using _first = await serveTools(await connect());
    using _second = await serveTools(await connect());
    const inbox = `test.${randomUUID()}`;
    const answers: string[] = [];
    bus.connection.subscribe(inbox, { callback: (_error, message) => answers.push(message.string()) });
    for (let n = 0; n < 20; n++) {
      const bytes = toolCallRequestCodec.encode({ ...call, call_id: `call-${n}` });
      bus.connection.publish(SUBJECTS.toolsCall, bytes, { reply: inbox });
    }
    // An answer to a later request of each replica means that the earlier ones were answered.
    for (let n = 0; n < 20; n++) await request(bus, SUBJECTS.toolsCall, CALLS, call, 5_000);
    expect(answers).to.have.length(20);
    expect(new Set(answers)).to.have.property("size", 20);
  });

  it("leaves a malformed request unanswered and goes on", async () => {
    const bus = await connect();
    using _ = await serveTools(await connect());
    const wrong = await bus.connection
      .request(SUBJECTS.toolsCall, "not a call", { timeout: 200 })
      .catch((error: unknown) => error);
    expect(wrong).to.be.an("error");
    expect(await request(bus, SUBJECTS.toolsCall, CALLS, call, 5_000)).to.include({ call_id: "call-1" });
  });

  it("answers nothing once it is disposed", async () => {
    const [bus, serving] = [await connect(), await connect()];
    const tools = await serveTools(serving);
    tools[Symbol.dispose]();
    await serving.connection.flush();
    const refused = await request(bus, SUBJECTS.toolsCall, CALLS, call, 5_000).catch(
      (error: unknown) => error,
    );
    expect(refused).to.include({ code: "no_responders" });
  });
});

describe("the tool-runner's configuration", () => {
  it("needs NATS and says so", () => {
    expect(() => loadConfig({ CONFIG_DIR: "/nowhere" })).to.throw("environment variable NATS_URL is not set");
    expect(loadConfig({ CONFIG_DIR: "/nowhere", NATS_URL: "nats://a:1" })).to.have.nested.property(
      "health.port",
      8093,
    );
  });
});
