import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { ToolFixture } from "../../../test/support/tool-fixture.ts";
import { until } from "../../../test/support/until.ts";
import { AnsweringRunner, answerDone, listedTool } from "./answering-runner.ts";
import { SHORT_TIMEOUTS, callAs, callRequest } from "./call-tool-fixture.ts";
import { RunFixture } from "./run-fixture.ts";
import { answerTurn, callTurn } from "./scripted-turns.ts";

const LISTING = { tools: [listedTool("k8s.pods")] };
const call = (number: number) => callTurn("native-thinking", number, "k8s.pods", { number });
const ANSWER = answerTurn("native-thinking");

describe("the home of an execution's tools", () => {
  describe("in a session", () => {
    const resources = new AsyncDisposableStack();
    let fixture: RunFixture;

    before(async () => {
      fixture = resources.use(await RunFixture.start());
    });
    after(() => resources.disposeAsync());

    const insert = async (options: object = {}) =>
      fixture.executor.insert({ strategy: "native-thinking", servers: ["k8s"], ...options });
    const execution = async (id: string) => {
      const [row] = await fixture.executor.query(
        "SELECT session_id, execution_id FROM agent_executions WHERE session_id = $1",
        [id],
      );
      return row;
    };

    it("gets the calls that follow, until it is gone; its end is published", async () => {
      const { bus } = fixture.executor;
      const [homeId, otherId] = [randomUUID(), randomUUID()];
      const otherIsThere = Promise.withResolvers<void>();
      const home: AnsweringRunner = await AnsweringRunner.start(bus, {
        listing: LISTING,
        id: homeId,
        answer: async (request) => {
          // The session does not end before there is another runner.
          if (home.direct.length > 0) await otherIsThere.promise;
          return { ...answerDone(request), runner: homeId };
        },
      });
      await fixture.play(call(1), call(2), call(3), ANSWER);
      const id = await insert();
      const pending = fixture.begin(id);
      await until("the home has got a call of its own", () => Promise.resolve(home.direct.length > 0));
      using other = await AnsweringRunner.start(bus, {
        listing: LISTING,
        id: otherId,
        answer: (request) => ({ ...answerDone(request), runner: otherId }),
      });
      home[Symbol.dispose]();
      otherIsThere.resolve();
      expect(await (await pending).end).to.equal("completed");
      expect(home.requests).to.have.length(1);
      // The rest of the three, whenever the home went.
      expect(
        home.requests.length + home.direct.length + other.requests.length + other.direct.length,
      ).to.be.within(3, 4);
      await until("the end is heard", () => Promise.resolve(other.releases.length > 0));
      expect(other.releases).to.deep.equal([await execution(id)]);
    });

    it("learns of the end of a session that times out", async () => {
      using runner = await AnsweringRunner.start(fixture.executor.bus, {
        listing: LISTING,
        answer: () => Promise.withResolvers<never>().promise,
      });
      await fixture.play(call(1), ANSWER);
      const id = await insert();
      const { end } = await fixture.begin(id);
      await until("the runner has the call", () => Promise.resolve(runner.requests.length > 0));
      fixture.stop(id, "session_deadline");
      expect(await end).to.equal("timed_out");
      await until("the end is heard", () => Promise.resolve(runner.releases.length > 0));
      expect(runner.releases).to.deep.equal([await execution(id)]);
    });
  });

  describe("after a takeover", () => {
    let fixture: ToolFixture;

    before(async () => {
      fixture = await ToolFixture.start({});
    });
    after(async () => fixture[Symbol.asyncDispose]());

    const takenOver = async (runners: readonly string[]) => {
      const owner = await fixture.session();
      for (const [age, runner] of runners.toReversed().entries()) {
        await fixture.db.query(
          `INSERT INTO tool_calls (call_id, session_id, execution_id, epoch, name, read_only, state, runner, started_at)
           VALUES ($1, $2, $3, 1, 'lab.look', true, 'abandoned', $4, now() - make_interval(secs => $5))`,
          [randomUUID(), owner.sessionId, owner.executionId, runner, age],
        );
      }
      return fixture.takeOver(owner);
    };

    it("is the runner of the newest call", async () => {
      const [former, home] = [randomUUID(), randomUUID()];
      using runner = await AnsweringRunner.start(fixture.bus, { listing: LISTING, id: home });
      const owner = await takenOver([former, home]);
      const outcome = await callAs(fixture, owner, callRequest(owner, "look"));
      expect(outcome.kind).to.equal("result");
      expect(runner.direct).to.have.length(1);
      expect(runner.requests).to.have.length(0);
    });

    it("is passed over at once if it is gone, and soon if it is silent", async () => {
      const silent = randomUUID();
      using home = await AnsweringRunner.start(fixture.bus, {
        listing: LISTING,
        id: silent,
        answer: async (request) =>
          home.direct.includes(request) ? Promise.withResolvers<never>().promise : answerDone(request),
      });
      for (const runner of [randomUUID(), silent]) {
        const owner = await takenOver([runner]);
        const request = callRequest(owner, "look");
        const timeouts = { ...SHORT_TIMEOUTS, replyMs: 500 };
        expect((await callAs(fixture, owner, request, { timeouts })).kind).to.equal("result");
        expect(home.requests.map(({ call_id }) => call_id)).to.include(request.callId);
      }
      expect(home.direct).to.have.length(1);
    });
  });
});
