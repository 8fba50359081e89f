import { expect } from "chai";
import { CancelledError, type CancelReason } from "#shared/errors.ts";
import { ToolFixture, type ClaimedSession } from "../../../test/support/tool-fixture.ts";
import { until } from "../../../test/support/until.ts";
import { abandonOpenCalls } from "../tools/abandon-open-calls.ts";
import type { CallToolRequest } from "../tools/call-tool.ts";
import { LAB, callAs, callRequest } from "./call-tool-fixture.ts";

describe("callTool", () => {
  let fixture: ToolFixture;
  let owner: ClaimedSession;

  before(async () => {
    fixture = await ToolFixture.start({ lab: LAB }, { ownServers: true });
  });
  beforeEach(async () => {
    owner = await fixture.session();
  });
  after(async () => fixture[Symbol.asyncDispose]());

  const request = (tool: string, more: Partial<CallToolRequest> = {}) => callRequest(owner, tool, more);
  const call = async (made: CallToolRequest, signal?: AbortSignal) =>
    callAs(fixture, owner, made, signal === undefined ? {} : { signal });
  const failed = async (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => {
        throw new Error("the call did not fail");
      },
      (error: unknown) => error,
    );

  describe("with tool-runners", () => {
    before(async () => {
      await Promise.all([fixture.runner(), fixture.runner()]);
    });

    it("returns the tool's result, its error, or the exception", async () => {
      const [look, refuse, explode] = [request("look"), request("refuse"), request("explode")];
      expect(await call(look)).to.deep.equal({
        kind: "result",
        content: `[stub] Tool "lab.look" called with args: ${look.arguments}`,
        isError: false,
      });
      expect(await call(refuse)).to.deep.equal({ kind: "result", content: "no such pod", isError: true });
      expect(await call(explode)).to.deep.equal({
        kind: "exception",
        message: "connection reset",
        isTimeout: false,
        mayHaveRun: true,
      });
    });

    it("returns a refusal of the tool-runner as the call's outcome", async () => {
      owner = await fixture.session({ mcp_servers: [] });
      const refused = request("write");
      const outcome = {
        kind: "refused",
        message: 'the tool "lab.write" is not among those that this agent may use; the call was not made',
      };
      expect(await call(refused)).to.deep.equal(outcome);
      expect(await call(refused)).to.deep.equal(outcome);
      expect(await fixture.started(refused.callId)).to.deep.equal([]);
    });

    it("sends no request for an unlisted tool or for arguments that are too long or several", async () => {
      const unlisted = request("look", { name: "lab.secret" });
      expect(await call(unlisted)).to.deep.equal({
        kind: "unknown_tool",
        message: 'unknown tool "lab.secret"',
      });
      expect(await call(request("look", { name: "lab__look" }))).to.deep.equal({
        kind: "unknown_tool",
        message: 'unknown tool "lab__look": call "lab.look" instead',
      });
      const long = request("look", { arguments: "x".repeat(131_073) });
      expect(await call(long)).to.deep.equal({
        kind: "result",
        content: "The arguments have 131073 characters: at most 131072 are allowed.",
        isError: true,
      });
      const several = request("look", { arguments: '{"a":1} {"a":2}' });
      expect(await call(several)).to.deep.equal({
        kind: "result",
        content:
          "The arguments are several JSON objects in a row. The call was not made: write one object, and one call for each set of arguments.",
        isError: true,
      });
      expect((await call(request("look", { arguments: '{"a":"} {"}' }))).kind).to.equal("result");
      expect(await fixture.row(several.callId)).to.equal(undefined);
      expect(await fixture.row(unlisted.callId)).to.equal(undefined);
      expect(await fixture.row(long.callId)).to.equal(undefined);
    });

    it("reads a result that is too long for a message from its row, truncated to the provider's limit", async () => {
      const outcome = await call(request("huge", { maxResultTokens: 25_000 }));
      if (outcome.kind !== "result") throw new Error(outcome.message);
      expect(outcome.content.length).to.be.within(98_000, 100_000);
      expect(outcome.content).to.match(/^\[Cut: this result has 50000000 bytes; only a part is shown\./u);
    });

    it("accepts arguments in which every character must be escaped", async () => {
      const outcome = await call(request("look", { arguments: "\u0001".repeat(131_072) }));
      expect(outcome.kind).to.equal("result");
    });

    it("returns a recorded result again, to another owner too, without a second run", async () => {
      const made = request("write");
      const first = await call(made);
      owner = await fixture.takeOver(owner);
      expect(await call(made)).to.deep.equal(first);
      expect(await fixture.started(made.callId)).to.have.length(1);
    });

    it("stops when another executor owns the session", async () => {
      const made = request("write");
      await fixture.takeOver(owner);
      expect(await failed(call(made))).to.include({ reason: "lease_lost" });
      expect(await fixture.started(made.callId)).to.deep.equal([]);
    });

    it("stops when the session is being cancelled", async () => {
      const made = request("write");
      await fixture.cancel(owner);
      expect(await failed(call(made))).to.include({ reason: "user" });
      expect(await fixture.started(made.callId)).to.deep.equal([]);
    });

    it("times out at the deadline of the call", async () => {
      /** With as much time as the runner needs to start the tool. */
      const hang = async (timeoutMs: number): Promise<Awaited<ReturnType<typeof call>>> => {
        const made = request("hang", { timeoutMs });
        const ended = await call(made);
        return (await fixture.started(made.callId)).length > 0 ? ended : hang(2 * timeoutMs);
      };
      const outcome = await hang(1_000);
      expect(outcome).to.include({ kind: "exception", isTimeout: true, mayHaveRun: true });
      if (outcome.kind !== "exception") return;
      expect(outcome.message).to.match(/^timed out after \d(\.\d)? s; whether it took effect is not known$/u);
    });

    const abortWhenStarted = async (made: CallToolRequest, reason: CancelReason) => {
      const abort = new AbortController();
      const end = call(made, abort.signal).then(
        (outcome) => outcome,
        (error: unknown) => error,
      );
      await fixture.untilStarted(made.callId);
      abort.abort(new CancelledError(reason, `because of ${reason}`));
      return end;
    };

    it("aborts the tool promptly when the user cancels", async () => {
      const made = request("hang");
      expect(await abortWhenStarted(made, "user")).to.include({ reason: "user" });
      const row = await until("the tool has ended", async () => {
        const found = await fixture.row(made.callId);
        return JSON.stringify(found).includes("running") ? undefined : found;
      });
      expect(row).to.include({ state: "failed", failure: "cancelled" });
    });

    it("counts an iteration's deadline as a timeout", async () => {
      const made = request("hang");
      const { callId } = made;
      const iteration = new AbortController();
      const outcome = call(made, iteration.signal);
      await fixture.untilStarted(callId);
      iteration.abort(new CancelledError("iteration_deadline", "the iteration timed out"));
      expect(await outcome).to.include({ kind: "exception", isTimeout: true, mayHaveRun: true });
      expect(await fixture.row(callId)).to.include({ state: "failed", failure: "timeout" });
    });

    for (const reason of ["shutdown", "lease_lost"] as const) {
      it(`leaves the tool running on ${reason}, and the next owner gets its result`, async () => {
        const made = request("slow");
        expect(await abortWhenStarted(made, reason)).to.include({ reason });
        owner = await fixture.takeOver(owner);
        const { db } = fixture;
        expect(await abandonOpenCalls({ db, ...owner }, [made])).to.deep.equal([]);
        expect(await call(made)).to.deep.equal({ kind: "result", content: "written", isError: false });
        expect(await fixture.started(made.callId)).to.have.length(1);
      });
    }

    it("repeats an abandoned call under another id, once", async () => {
      const made = request("write");
      owner = await fixture.takeOver(owner);
      const { db } = fixture;
      expect(await abandonOpenCalls({ db, ...owner }, [made])).to.deep.equal([made.callId]);
      const outcome = await call(made);
      expect(outcome).to.include({ kind: "result" });
      owner = await fixture.takeOver(owner);
      expect(await abandonOpenCalls({ db, ...owner }, [made])).to.deep.equal([]);
      expect(await call(made)).to.deep.equal(outcome);
      expect(await fixture.started(made.callId)).to.have.length(1);
    });

    it("abandons no call for a former owner", async () => {
      const made = request("write");
      await fixture.takeOver(owner);
      const { db } = fixture;
      expect(await failed(abandonOpenCalls({ db, ...owner }, [made]))).to.include({ reason: "lease_lost" });
      expect(await fixture.row(made.callId)).to.equal(undefined);
    });

    it("gets the result although NATS is killed and restarted during the call", async () => {
      const made = request("slow");
      const outcome = call(made);
      await fixture.untilStarted(made.callId);
      await fixture.servers.killNats();
      await fixture.servers.restartNats();
      expect(await outcome).to.deep.equal({ kind: "result", content: "written", isError: false });
      expect(await fixture.started(made.callId)).to.have.length(1);
    });
  });
});
