import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env as ownEnvironment } from "node:process";
import { expect } from "chai";
import { until } from "../../../../test/support/until.ts";
import type { CallResult } from "../call-result.ts";
import { Connection } from "../connection.ts";
import type { ServerSettings } from "../server-settings.ts";
import { ProcessGroups } from "../stdio/process-groups.ts";
import { depsOf, failureOf, hostile, isRunning, packaged, resultText, settingsOf } from "./server-fixture.ts";

const never = new AbortController().signal;

describe("a connection to a stdio server", () => {
  const resources = new AsyncDisposableStack();
  let groups: ProcessGroups;
  before(() => {
    groups = resources.use(new ProcessGroups());
  });
  after(async () => resources.disposeAsync());

  const open = (
    settings: ServerSettings,
    env: Record<string, string | undefined> = { PATH: ownEnvironment["PATH"] },
  ) => Connection.open({ ...depsOf(settings), groups, env }, never);
  const call = (
    connection: Connection,
    tool: string,
    args: Record<string, unknown> = {},
    signal: AbortSignal = never,
  ): Promise<CallResult> =>
    connection.call({ callId: "id-1", tool, args, signal, onProgress: () => undefined });

  it("lists and calls the tools of a server by others", async () => {
    await using connection = await open(settingsOf(packaged("server-everything", "stdio")));
    const { tools } = await connection.listPage(undefined, never);
    expect(connection.era).to.equal("legacy");
    expect(tools.map(({ name }) => name)).to.include("echo");
    expect(resultText(await call(connection, "echo", { message: "hello" }))).to.contain("hello");
  });

  it("skips what is no message and reads a log of any length", async () => {
    await using connection = await open(settingsOf(hostile()));
    expect(resultText(await call(connection, "garbage"))).to.equal("after garbage");
    expect(resultText(await call(connection, "flood"))).to.equal("after the flood");
  });

  it("takes a result of 10 MB", async () => {
    await using connection = await open(settingsOf(hostile()));
    expect(resultText(await call(connection, "big", { bytes: 10_000_000 }))).to.have.length(10_000_000);
  });

  it("ends a call whose result is too large, and no other", async () => {
    await using connection = await open(settingsOf(hostile(), { maxResultBytes: 1_024 }));
    const hanging = call(connection, "progress", { steps: 20, delayMs: 50 });
    const failures = [
      await failureOf(call(connection, "big", { bytes: 2_000 })),
      await failureOf(call(connection, "big", { bytes: 3_000_000 })),
    ];
    for (const failure of failures) expect(failure).to.include({ kind: "too_large" });
    expect(resultText(await hanging)).to.equal("20 steps");
  });

  it("survives invalid ids, unrequested answers, and requests of the server", async () => {
    await using connection = await open(settingsOf(hostile()));
    const answers: unknown = JSON.parse(resultText(await call(connection, "nonsense")));
    expect(answers).to.deep.include({ ping: "result", "sampling/createMessage": -32601 });
    expect(answers).to.deep.include({ "elicitation/create": -32601, "roots/list": -32601 });
    expect(resultText(await call(connection, "echo"))).to.equal("{}");
  });

  for (const name of ["broken-json", "broken-without-id", "null-result", "result-and-error", "wrong-id"]) {
    it(`ends a call at once whose answer is none of the protocol: ${name}`, async () => {
      await using connection = await open(settingsOf(hostile()));
      expect(await failureOf(call(connection, name))).to.include({ kind: "invalid_answer", sent: "maybe" });
      expect(resultText(await call(connection, "echo"))).to.equal("{}");
    });
  }

  it("ends when a message exceeds its limit", async () => {
    await using connection = await open(settingsOf(hostile(), { maxResultBytes: 1024 }));
    expect(await failureOf(call(connection, "endless"))).to.include({ kind: "closed", sent: "maybe" });
    expect(connection.isAlive).to.equal(false);
  });

  it("gives the process none of the runner's variables but a few, and those configured", async () => {
    await using connection = await open(settingsOf(hostile("", { TOKEN: "configured" })), {
      PATH: ownEnvironment["PATH"],
      LC_ALL: "C",
      DATABASE_URL: "secret",
    });
    const seen: unknown = JSON.parse(resultText(await call(connection, "environment")));
    expect(seen).to.include({ TOKEN: "configured", LC_ALL: "C" });
    expect(seen).not.to.have.property("DATABASE_URL");
  });

  // Only root may start programs as another user, and a pending test fails.
  if (process.getuid?.() === 0) {
    it("runs as the user that is configured for servers", async () => {
      const user = { uid: 65_534, gid: 65_534 };
      const env = { PATH: ownEnvironment["PATH"] };
      await using connection = await Connection.open(
        { ...depsOf(settingsOf(hostile())), groups, env, user },
        never,
      );
      const pid = resultText(await call(connection, "pid"));
      expect(await readFile(`/proc/${pid}/status`, "utf8")).to.match(/^Uid:\t65534\t65534\t65534\t65534$/mu);
      await connection[Symbol.asyncDispose]();
      await until("it has ended", () => !isRunning(Number(pid)));
    });
  }

  it("tells a call lost in the middle from one that was never sent", async () => {
    await using connection = await open(settingsOf(hostile()));
    const died = await failureOf(call(connection, "die"));
    expect(died).to.include({ kind: "closed", sent: "maybe" });
    expect(died.message).to.contain("exit code 7");
    expect(await failureOf(call(connection, "echo"))).to.include({ kind: "closed", sent: "no" });
  });

  it("tells the server that a call is cancelled", async () => {
    const calls = join(await mkdtemp(join(tmpdir(), "tarsy-mcp-")), "calls");
    await using connection = await open(settingsOf(hostile("", { CALLS: calls })));
    const cancel = new AbortController();
    const hanging = failureOf(call(connection, "hang", {}, cancel.signal));
    await until("the server has the call", async () =>
      (await readFile(calls, "utf8")).includes("call hang id-1"),
    );
    cancel.abort(new Error("no longer wanted"));
    expect(await hanging).to.include({ kind: "aborted", sent: "maybe" });
    await until("the server has the cancel", async () =>
      (await readFile(calls, "utf8")).includes("cancelled"),
    );
    expect(connection.isAlive).to.equal(true);
  });

  it("says why a server does not start, with the end of its log", async () => {
    const failure = await failureOf(open(settingsOf(hostile("exit-at-start"))));
    expect(failure).to.include({ kind: "unreachable", sent: "no" });
    expect(failure.message).to.contain("no such cluster");
    const missing = settingsOf({ type: "stdio", command: "no-such-command", args: [], env: {} });
    expect((await failureOf(open(missing))).message).to.contain("not found");
  });

  it("gives up a server that never answers after the connect timeout", async () => {
    const settings = settingsOf(hostile("silent"), { connectTimeoutMs: 1_000 });
    expect((await failureOf(open(settings))).message).to.contain("no handshake within 1 s");
    await until("its process is gone", () => groups.size === 0);
  });

  it("leaves no process behind, not of its children nor of one that ignores SIGTERM", async () => {
    const connection = await open(settingsOf(hostile("stubborn")));
    const grandchild = Number(resultText(await call(connection, "fork")));
    expect(isRunning(grandchild)).to.equal(true);
    await connection[Symbol.asyncDispose]();
    await until("the grandchild is gone", () => !isRunning(grandchild));
    expect(groups.size).to.equal(0);
  });
});
