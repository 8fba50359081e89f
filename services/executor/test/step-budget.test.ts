import { expect } from "chai";
import { Traffic } from "../../../test/support/traffic.ts";
import type { ExecutorDeps } from "../core/executor-deps.ts";
import { runSession } from "../run-session.ts";
import { RunFixture } from "./run-fixture.ts";
import { ToolRunnerFixture } from "./tool-runner-fixture.ts";

/** A turn: a thought, and the calls of tools that it asks for. */
const turn = (alert: string, call: number, tools: number) => ({
  when: { contains: alert, call },
  steps: [
    { thinking: "Which pod restarts, and why?" },
    ...Array.from({ length: tools }, (_, n) => ({ tool_call: { name: "k8s.pods", arguments: { call, n } } })),
  ],
});
const turns = (alert: string, count: number, tools: number) =>
  Array.from({ length: count }, (_, index) => turn(alert, index + 1, tools));

describe("what an investigation costs", () => {
  const resources = new AsyncDisposableStack();
  const { signal } = new AbortController();
  const traffic = resources.use(new Traffic());
  let fixture: RunFixture;
  let deps: ExecutorDeps;

  before(async () => {
    fixture = resources.use(await RunFixture.start());
    const { executor, gateway } = fixture;
    resources.use(await ToolRunnerFixture.start(executor.servers));
    const another = await executor.another(resources, gateway.address, {
      databaseUrl: await traffic.countPostgres(executor.servers.postgres.serviceUrls.executor),
      natsUrl: await traffic.countNats(executor.servers.natsUrl("executor")),
      verifiesState: false,
    });
    // Each answer is one at once, however busy the machine is.
    deps = { ...another, atOnceMs: 600_000 };
    await fixture.play(
      ...turns("five turns", 5, 1),
      ...turns("six turns", 6, 1),
      ...turns("thirty turns", 30, 1),
      ...turns("thirty-one turns", 31, 1),
      ...turns("two tools", 5, 2),
      { steps: [{ text: "it was the memory" }] },
    );
    await costOf("five turns");
  });
  after(() => resources.disposeAsync());

  const costOf = async (alert: string, strategy: "native-thinking" | "single-call" = "native-thinking") => {
    const { executor } = fixture;
    const servers = strategy === "single-call" ? [] : ["k8s"];
    const id = await executor.insert({ alert, strategy, servers, maxIterations: 40 });
    const claim = await executor.claim(id);
    return traffic.of(async () => {
      expect(await runSession(deps, claim, { stop: signal, abort: signal })).to.equal("completed");
      // The last messages are still being sent, and would count for the next session.
      await deps.bus.flush();
    });
  };
  type Cost = Awaited<ReturnType<typeof costOf>>;
  const difference = (more: Cost, less: Cost) => ({
    statements: more.statements - less.statements,
    roundTrips: more.roundTrips - less.roundTrips,
    published: more.published - less.published,
    answers: more.answers - less.answers,
  });

  it("is one statement for an answer at once with its first tool call, and one for the result", async () => {
    const [five, six] = [await costOf("five turns"), await costOf("six turns")];
    expect(difference(six, five)).to.deep.equal({
      // The answer is stored with its thought and the call that it asks for; the call's result is stored.
      statements: 2,
      roundTrips: 2,
      // The thought's row and its end, the call's row, the request to the tool-runner, the result's row.
      published: 9,
      // The tool-runner's reply, and the bus's word that no one watches the call of the model.
      answers: 2,
    });
  });

  it("is one statement for each further tool call of an answer", async () => {
    const [five, more] = [await costOf("five turns"), await costOf("two tools")];
    expect(difference(more, five)).to.deep.equal({ statements: 5, roundTrips: 5, published: 25, answers: 5 });
  });

  it("is the same in the middle of a long session as at its beginning", async () => {
    const [five, six] = [await costOf("five turns"), await costOf("six turns")];
    const [thirty, next] = [await costOf("thirty turns"), await costOf("thirty-one turns")];
    expect(difference(next, thirty)).to.deep.equal(difference(six, five));
    const [early, late] = [six.bytesRead - five.bytesRead, next.bytesRead - thirty.bytesRead];
    expect(late).to.be.lessThan(early + 100);
    expect(late).to.be.lessThan(1_500);
  });

  it("is three statements for an agent without tools and its summary", async () => {
    await costOf("no tools", "single-call");
    const { statements, roundTrips, bytesRead } = await costOf("no tools", "single-call");
    // Stage, agent and conversation begin together; the answer is stored with the end of agent and stage, and the summary with the end
    // of the session.
    expect({ statements, roundTrips }).to.deep.equal({ statements: 3, roundTrips: 3 });
    expect(bytesRead).to.be.lessThan(8_000);
  });
});
