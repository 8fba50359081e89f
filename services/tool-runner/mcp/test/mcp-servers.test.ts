import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { expect } from "chai";
import { Masker } from "#shared/masking/masker.ts";
import { NOTHING_LISTENS } from "../../../../test/support/nothing-listens.ts";
import { until } from "../../../../test/support/until.ts";
import { untilListed } from "../../test/until-listed.ts";
import { definitionHash } from "../list-tools.ts";
import { McpServers } from "../mcp-servers.ts";
import { findTool } from "../../answer-call.ts";
import type { ServerSettings } from "../server-settings.ts";
import {
  callTool,
  findServer,
  hostile,
  httpAt,
  isRunning,
  packaged,
  resultText,
  settingsOf,
} from "./server-fixture.ts";
import { startHttpServer } from "./http-server.ts";

const { signal } = new AbortController();
/** How long a listing waits for its servers, which are programs that it starts. */
const PATIENT_MS = 240_000;

function serversOf(...settings: readonly ServerSettings[]): McpServers {
  return new McpServers({ settings, env, maxProcesses: 2 });
}

async function pidOf(servers: McpServers, executionId: string, callId = "c"): Promise<number> {
  const { result } = await callTool(servers, {
    server: "lab",
    tool: "pid",
    callId,
    executionId,
    args: {},
    signal,
  });
  return Number(resultText(result));
}

describe("McpServers", () => {
  it("lists all pages with effects, and only what the configuration offers", async () => {
    const tools = { deny: ["fir*"], read_only: [], idempotent: [], write: [], destructive: [], approve: [] };
    await using servers = serversOf(
      settingsOf(hostile("two-pages"), { id: "pages", trustAnnotations: true }),
      settingsOf(hostile("two-pages"), { id: "denied", tools }),
    );
    const listed = await servers.list(["pages", "denied", "unknown"], { waitMs: PATIENT_MS });
    const named = [...listed].map(([id, known]) => [
      id,
      known.kind === "listed" && known.tools.map(({ name, effect }) => `${name} ${effect}`),
    ]);
    expect(named).to.deep.equal([
      ["pages", ["first write", "second read"]],
      ["denied", ["second write"]],
    ]);
    const denied = await findTool({ tools: new Map(), servers }, { name: "denied.first", execution_id: "e" });
    expect(denied).to.deep.equal({ kind: "unknown" });
  });

  it("bounds a list without end", async () => {
    await using servers = serversOf(settingsOf(hostile("endless-pages")));
    const known = (await servers.list(["lab"], { waitMs: PATIENT_MS })).get("lab");
    if (known?.kind !== "listed") throw new Error("not listed");
    expect(known.tools).to.have.length(64);
    expect(known.leftOut).to.contain("64 pages");
  });

  it("says which servers fail, and lists the others", async () => {
    await using servers = serversOf(
      settingsOf(httpAt(NOTHING_LISTENS), { id: "down" }),
      settingsOf(hostile("exit-at-start"), { id: "broken" }),
      settingsOf(packaged("server-memory"), { id: "memory" }),
    );
    const listed = await servers.list(["down", "broken", "memory"], { waitMs: PATIENT_MS });
    expect(listed.get("down")).to.include({ kind: "failed", code: "unreachable" });
    expect(listed.get("broken")).to.include({ kind: "failed", code: "unreachable" });
    expect(listed.get("memory")).to.include({ kind: "listed", isStale: false });
  });

  it("delays no listing because of a server that hangs, once it was waited for", async () => {
    const hang = () => undefined;
    await using hung = await startHttpServer("modern", { "server/discover": hang, initialize: hang });
    // Their lists stay fresh.
    await using healthy = await startHttpServer("legacy", {});
    const ids = ["a", "b", "c", "d"];
    await using servers = serversOf(
      settingsOf(httpAt(hung.url), { id: "hung" }),
      ...ids.map((id) => settingsOf(httpAt(healthy.url), { id })),
    );
    servers.warm();
    await servers.list(ids, { waitMs: PATIENT_MS });
    // If each waited for the server for a second, this would exceed the test's time.
    for (let n = 0; n < 100; n += 1) {
      const listed = await servers.list(["hung", ...ids]);
      expect([...listed.values()].map(({ kind }) => kind)).to.deep.equal([
        "failed",
        ...ids.map(() => "listed"),
      ]);
    }
  });

  it("lists anew when a server says that its tools have changed", async () => {
    await using servers = serversOf(settingsOf(hostile("changing"), { isolation: "shared" }));
    const described = async () => {
      const known = (await servers.list(["lab"], { waitMs: PATIENT_MS })).get("lab");
      return known?.kind === "listed" ? known.tools[0]?.description : known?.code;
    };
    expect(await described()).to.equal("version 1");
    expect(await described()).to.equal("version 1");
    await callTool(servers, {
      server: "lab",
      tool: "announce",
      callId: "c",
      executionId: "e",
      args: {},
      signal,
    });
    // The old list is given while the new one is on its way.
    await until("the new list is there", async () => (await described()) === "version 2");
  });

  it("lists anew when a newer server tells of a change in the stream that it was asked for", async () => {
    let tell: () => void = () => undefined;
    let version = 0;
    await using server = await startHttpServer("modern", {
      "subscriptions/listen": (_request, response, id) => {
        const _meta = { "io.modelcontextprotocol/subscriptionId": id };
        const send = (method: string, params: object) =>
          response.write(
            `data: ${JSON.stringify({ jsonrpc: "2.0", method, params: { ...params, _meta } })}\n\n`,
          );
        response.writeHead(200, { "content-type": "text/event-stream" });
        send("notifications/subscriptions/acknowledged", { notifications: { toolsListChanged: true } });
        tell = () => send("notifications/tools/list_changed", {});
      },
      "tools/list": (_request, response, id) => {
        version += 1;
        const tools = [{ name: "echo", description: `version ${version}`, inputSchema: { type: "object" } }];
        server.respond(response, id, { tools, ttlMs: 3_600_000, cacheScope: "private" });
      },
    });
    await using servers = serversOf(settingsOf(httpAt(server.url)));
    const described = async () => {
      const known = (await servers.list(["lab"], { waitMs: PATIENT_MS })).get("lab");
      return known?.kind === "listed" ? known.tools[0]?.description : known?.code;
    };
    expect(await described()).to.equal("version 1");
    await until("it listens", () => server.seen.includes("subscriptions/listen"));
    expect(await described()).to.equal("version 1");
    tell();
    await until("the change is seen", async () => (await described()) !== "version 1");
  });

  it("masks descriptions, schemas and reasons of failures, and hashes what the server said", async () => {
    const TOKEN = "known-only-to-the-runner";
    await using masker = new Masker({ known: [TOKEN] });
    await using servers = new McpServers({
      settings: [
        settingsOf(hostile("leaky", { TOKEN }), { id: "leaky" }),
        settingsOf(hostile("leak-at-start", { TOKEN }), { id: "broken" }),
      ],
      env,
      masker,
    });
    const listed = await servers.list(["leaky", "broken"], { waitMs: PATIENT_MS });
    const shown = JSON.stringify([...listed]);
    for (const secret of [TOKEN, "hunter2", "ghp_abc"]) expect(shown).not.to.contain(secret);
    expect(shown).to.contain("its log ends: password=[MASKED");
    const known = listed.get("leaky");
    const [tool] = known?.kind === "listed" ? known.tools : [];
    expect(tool?.description).to.contain("call it with");
    expect(JSON.parse(tool?.schema ?? "")).to.have.nested.property("properties.token.type", "string");
    const properties = {
      token: { type: "string", default: "ghp_abcdefghijklmnopqrstuvwxyz0123456789" },
      note: { description: TOKEN },
    };
    const description = `call it with password=hunter2-of-the-text and ${TOKEN}`;
    const inputSchema = { type: "object", properties };
    expect(tool?.hash).to.equal(definitionHash({ name: "echo", description, inputSchema }));
  });

  it("reads files through a server by others", async () => {
    const directory = await mkdtemp(join(tmpdir(), "tarsy-mcp-"));
    await using servers = serversOf(settingsOf(packaged("server-filesystem", directory), { id: "files" }));
    await untilListed(servers, "files");
    const found = await findTool(
      { tools: new Map(), servers },
      { name: "files.list_directory", execution_id: "e" },
    );
    const tool = found.kind === "tool" ? found.tool : undefined;
    const beforeSend = () => Promise.resolve();
    const call = { callId: "c", executionId: "e", epoch: 1, isRepeatable: true, beforeSend };
    await writeFile(join(directory, "pods.txt"), "");
    const { isError, content } = (await tool?.call(JSON.stringify({ path: "." }), signal, call)) ?? {};
    expect(isError).to.equal(false);
    // The server sends the same text as structured content.
    expect(content).to.deep.equal(["[FILE] pods.txt"]);
    expect(await tool?.call("not json", signal, call)).to.include({ isError: true });
  });

  it("keeps one process per execution, opened once, until the execution ends", async () => {
    await using servers = serversOf(settingsOf(hostile()));
    const [first, same] = await Promise.all([pidOf(servers, "e1", "a"), pidOf(servers, "e1", "b")]);
    const other = await pidOf(servers, "e2");
    expect(same).to.equal(first);
    expect(other).not.to.equal(first);
    await servers.release("e1");
    await until("its process is gone", () => !isRunning(first));
    expect(isRunning(other)).to.equal(true);
  });

  it("ends the process unused longest when there are too many", async () => {
    await using servers = serversOf(settingsOf(hostile()));
    const [first, second] = [await pidOf(servers, "e1"), await pidOf(servers, "e2")];
    const third = await pidOf(servers, "e3");
    await until("the first is gone", () => !isRunning(first));
    expect([second, third].every(isRunning)).to.equal(true);
    await Promise.all(["e2", "e3"].map((id) => servers.release(id)));
  });

  it("uses a new process for each call, or the same for all, if the configuration says so", async () => {
    await using each = serversOf(settingsOf(hostile(), { isolation: "call" }));
    expect(await pidOf(each, "e1", "a")).not.to.equal(await pidOf(each, "e1", "b"));
    await using all = serversOf(settingsOf(hostile(), { isolation: "shared" }));
    expect(await pidOf(all, "e1")).to.equal(await pidOf(all, "e2"));
  });

  it("lets no more calls run at a time than the server may have", async () => {
    const calls = join(await mkdtemp(join(tmpdir(), "tarsy-mcp-")), "calls");
    await using servers = serversOf(settingsOf(hostile("", { CALLS: calls }), { maxConcurrent: 1 }));
    const cancel = new AbortController();
    const call = { server: "lab", executionId: "e", args: {} };
    const hanging = callTool(servers, { ...call, tool: "hang", callId: "a", signal: cancel.signal }).catch(
      String,
    );
    await until("it runs", async () => (await readFile(calls, "utf8")).includes("call hang"));
    const waiting = callTool(servers, { ...call, tool: "echo", callId: "b", signal });
    cancel.abort(new Error("enough"));
    await Promise.all([hanging, waiting]);
    expect((await readFile(calls, "utf8")).split("\n").indexOf("call echo b")).to.be.greaterThan(0);
  });

  it("makes a repeatable call once more when its connection is lost, and any other never", async () => {
    const calls = join(await mkdtemp(join(tmpdir(), "tarsy-mcp-")), "calls");
    await using servers = serversOf(settingsOf(hostile("", { CALLS: calls })));
    const call = { server: "lab", executionId: "e", args: {}, tool: "die", signal };
    const die = async (callId: string, isRepeatable: boolean) =>
      callTool(servers, { ...call, callId, isRepeatable }).catch((error: unknown) => error);
    expect(await die("a", true)).to.include({ kind: "closed", sent: "maybe" });
    expect(await die("b", false)).to.include({ kind: "closed", sent: "maybe" });
    const made = (await readFile(calls, "utf8")).trim().split("\n");
    expect(made).to.deep.equal(["call die a", "call die a", "call die b"]);
  });

  it("lets progress extend the time of a call, but not the end of it", async () => {
    await using servers = serversOf(settingsOf(hostile(), { callTimeoutMs: 2_000 }));
    const args = { steps: 30, delayMs: 100 };
    const call = { server: "lab", executionId: "e", callId: "c", tool: "progress" };
    const { result } = await callTool(servers, { ...call, args, signal });
    expect(resultText(result)).to.equal("30 steps");
    const cap = callTool(servers, {
      ...call,
      args: { steps: 1e6, delayMs: 50 },
      signal: AbortSignal.timeout(1_000),
    });
    expect(await cap.catch((error: unknown) => error)).to.include({ kind: "aborted", sent: "maybe" });
  });

  it("tells a server with a cleanup address that an execution has ended", async () => {
    await using server = await startHttpServer("legacy", {});
    const sessionCleanupUrl = new URL("/sessions/{{.SESSION_ID}}", server.url).href.replace(
      /%7B|%7D/gu,
      (brace) => decodeURIComponent(brace),
    );
    await using servers = serversOf(settingsOf(httpAt(server.url, { sessionCleanupUrl })));
    await callTool(servers, {
      server: "lab",
      tool: "echo",
      callId: "c",
      executionId: "e1",
      args: {},
      signal,
    });
    expect(findServer(servers).hasCleanUp).to.equal(true);
    await servers.release("e1");
    expect(await findServer(servers).cleanUp("e1")).to.equal(true);
    expect(server.seen.slice(-2)).to.deep.equal(["DELETE /mcp", "DELETE /sessions/e1"]);
  });
});
