import { expect } from "chai";
import { startHttpServer } from "../mcp/test/http-server.ts";
import { McpServers } from "../mcp/mcp-servers.ts";
import { callTool, hostile, httpAt, settingsOf } from "../mcp/test/server-fixture.ts";
import { ByteRoom } from "../byte-room.ts";
import { until } from "../../../test/support/until.ts";

const { signal } = new AbortController();

describe("ByteRoom", () => {
  it("lets only the oldest message exceed it, and the others wait until that is given back", async () => {
    const room = new ByteRoom(10);
    const [old, next] = [room.enter(), room.enter()];
    await old.take(8);
    await next.take(2);
    let hasMore = false;
    const more = next.take(1).then(() => (hasMore = true));
    await old.take(100);
    expect(room.left).to.equal(-100);
    expect(hasMore).to.equal(false);
    old[Symbol.dispose]();
    await more;
    expect(room.left).to.equal(7);
    next[Symbol.dispose]();
    next[Symbol.dispose]();
    expect(room.left).to.equal(10);
  });

  it("ends a wait with its signal", async () => {
    const room = new ByteRoom(1);
    const [old, next] = [room.enter(), room.enter()];
    await old.take(1);
    const error: unknown = await next.take(1, AbortSignal.abort("over")).catch((reason: unknown) => reason);
    expect(error).to.equal("over");
    expect(room.left).to.equal(0);
  });
});

describe("large results at the same time", () => {
  const MIB = 1024 * 1024;
  const RESULT = 24 * MIB;
  const call = { server: "lab", executionId: "e", args: { bytes: RESULT }, signal };

  it("are in memory one beside another only as far as there is room, over HTTP", async () => {
    const body = Buffer.alloc(RESULT, "x");
    await using server = await startHttpServer("legacy", {
      big: (_request, response, id) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
        response.write(body);
        response.end('"}]}}');
      },
    });
    await using servers = new McpServers({
      settings: [settingsOf(httpAt(server.url), { maxResultBytes: 64 * MIB, isolation: "shared" })],
      env: {},
    });
    await expectBounded(servers, "big");
  });

  it("are in memory one beside another only as far as there is room, over standard streams", async () => {
    await using servers = new McpServers({
      settings: [settingsOf(hostile(), { maxResultBytes: 64 * MIB, isolation: "execution" })],
      env: {},
    });
    await expectBounded(servers, "big");
  });

  /** Each call keeps its result until all that fit are there. */
  async function expectBounded(servers: McpServers, tool: string): Promise<void> {
    const held: Disposable[] = [];
    let done = 0;
    const calls = Array.from({ length: 6 }, async (_, index) => {
      const own = {
        callId: `c${index}`,
        executionId: `e${index}`,
        holdMemory: (one: Disposable) => held.push(one),
      };
      await callTool(servers, { ...call, tool, ...own });
      done += 1;
    });
    while (done < calls.length) {
      const before = done;
      await until("a result is there", () => done > before || held.length > 0);
      // At most 32 MiB, and one that is larger than what is left.
      expect(servers.largeBytes).to.be.below(32 * MIB + RESULT + 2 * MIB);
      held.shift()?.[Symbol.dispose]();
    }
    await Promise.all(calls);
    for (const one of held) one[Symbol.dispose]();
    expect(servers.largeBytes).to.equal(0);
  }
});
