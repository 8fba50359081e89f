import { expect } from "chai";
import type { WaitingFor } from "#shared/contracts/iteration-state.ts";
import { MAX_PROVIDER_WAIT_MS, waitForModel } from "../llm/wait-for-model.ts";
import { earliestWait, retryDelay, waitFrom } from "../core/wait.ts";
import { AnsweringRunner } from "./answering-runner.ts";
import type { GatewayProcess } from "./gateway-process.ts";
import { RunFixture } from "./run-fixture.ts";
import { ToolRunnerFixture } from "./tool-runner-fixture.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const clock = { databaseNow: () => NOW, timeoutMs: 2 * MAX_PROVIDER_WAIT_MS };
const at = (seconds: number) => new Date(NOW + seconds * 1_000).toISOString();
const waiting = (rest: Partial<WaitingFor>): WaitingFor => ({
  kind: "provider",
  reason: "limited",
  since: at(0),
  until: at(30),
  pauses_deadline: true,
  ...rest,
});

describe("a wait", () => {
  it("keeps the time when the step began to wait for the same thing", () => {
    const next = { kind: "provider", reason: "limited", delayMs: 1_500.2, pauses_deadline: true } as const;
    expect(waitFrom(clock, null, next)).to.include({ since: at(0), until: "2026-01-01T00:00:01.501Z" });
    expect(waitFrom(clock, waiting({ since: at(-60) }), next)).to.include({ since: at(-60) });
    expect(waitFrom(clock, waiting({ kind: "tools", since: at(-60) }), next)).to.include({ since: at(0) });
  });

  it("without a stated time grows with the time waited, between 5 and 30 s", () => {
    const delays = [0, -20, -3_600].map((since) =>
      retryDelay(clock, waiting({ kind: "gateway", since: at(since) }), "gateway"),
    );
    expect(delays[0]).to.be.within(3_750, 6_250);
    expect(delays[1]).to.be.within(7_500, 12_500);
    expect(delays[2]).to.be.within(22_500, 37_500);
  });

  it("of a session is the earliest of its agents', and pauses the deadline only if all of them do", () => {
    const [late, early] = [waiting({ until: at(60) }), waiting({ kind: "gateway", until: at(5) })];
    expect(earliestWait([late, early])).to.deep.equal(early);
    expect(earliestWait([late, { ...early, pauses_deadline: false }])).to.include({
      kind: "gateway",
      pauses_deadline: false,
    });
  });
});

describe("waitForModel", () => {
  const limited = (retryAfterMs: number | undefined) =>
    ({ kind: "failed", code: "rate_limited", message: "slow down", retryable: true, retryAfterMs }) as const;

  it("waits as long as the provider says, spread by a tenth", () => {
    const wait = waitForModel(clock, limited(30_000), null, false);
    expect(wait).to.include({ kind: "provider", reason: "slow down", pauses_deadline: true });
    expect(Date.parse(wait?.until ?? "") - NOW).to.be.within(30_000, 33_001);
  });

  it("does not wait for an error without a time, nor for longer than an hour in all", () => {
    expect(waitForModel(clock, limited(undefined), null, false)).to.equal(null);
    expect(waitForModel(clock, limited(MAX_PROVIDER_WAIT_MS + 1), null, false)).to.equal(null);
    expect(waitForModel(clock, limited(30_000), waiting({ since: at(-3_580) }), false)).to.equal(null);
  });

  it("does not wait for longer than the session as a whole may take", () => {
    const short = { ...clock, timeoutMs: 180_000 };
    expect(waitForModel(short, limited(190_000), null, false)).to.equal(null);
    expect(waitForModel(short, limited(30_000), waiting({ since: at(-160) }), false)).to.equal(null);
    expect(waitForModel(short, limited(100_000), null, false)).not.to.equal(null);
  });

  it("waits for a gateway at the expense of the session's time", () => {
    const outcome = { kind: "unreachable", message: "no gateway at x:1", reason: "refused\0" } as const;
    expect(waitForModel(clock, outcome, null, false)).to.include({
      kind: "gateway",
      reason: "no gateway at x:1 (refused\uFFFD)",
      pauses_deadline: false,
    });
  });
});

describe("a session that waits", () => {
  const resources = new AsyncDisposableStack();
  let fixture: RunFixture<GatewayProcess>;

  before(async () => {
    fixture = resources.use(await RunFixture.startWithProcess());
  });
  after(() => resources.disposeAsync());

  const runtime = async (id: string) =>
    fixture.executor.row(
      "session_runtime",
      `lease_owner, attempts, interruptions, waiting_for->>'kind' AS kind, waiting_for->>'reason' AS reason,
       not_before > now() AS deferred`,
      id,
    );
  const now = async (id: string) => {
    await fixture.executor.query("UPDATE session_runtime SET not_before = now() WHERE session_id = $1", [id]);
    await fixture.executor.query(
      `UPDATE agent_executions SET iteration_state =
         jsonb_set(iteration_state, '{unfinished_step,waiting,until}', to_jsonb('2026-01-01T00:00:00Z'::text))
       WHERE session_id = $1 AND iteration_state->'unfinished_step'->'waiting' <> 'null'`,
      [id],
    );
  };

  it("for a gateway is released without using anything up, names the address, and goes on", async () => {
    await fixture.play({ steps: [{ text: "found it" }] });
    const id = await fixture.executor.insert();
    await fixture.gateway.kill();
    expect(await fixture.run(id)).to.equal("waiting");
    const row = await runtime(id);
    expect(row).to.include({
      lease_owner: null,
      attempts: 0,
      interruptions: 0,
      kind: "gateway",
      deferred: true,
    });
    expect(row)
      .to.have.property("reason")
      .that.matches(
        new RegExp(`^no LLM gateway can be reached at ${fixture.gateway.address} \\(.*ECONNREFUSED`, "u"),
      );
    expect(await fixture.executor.row("alert_sessions", "status", id)).to.deep.equal({
      status: "in_progress",
    });
    expect(await fixture.executor.tryClaim(id)).to.equal("waiting");
    await fixture.gateway.start();
    await now(id);
    expect(await fixture.run(id)).to.equal("completed");
    expect(await runtime(id)).to.include({ attempts: 0, kind: null });
    const states = await fixture.executor.query(
      "SELECT iteration_state->>'iteration' AS iteration FROM agent_executions WHERE session_id = $1",
      [id],
    );
    expect(states).to.deep.equal([{ iteration: "1" }]);
    expect(await fixture.eventLog(id)).to.deep.include({ event: "session.progress" });
    const texts = await fixture.executor.query(
      "SELECT payload->>'status_text' AS text FROM events WHERE session_id = $1 AND payload->>'status_text' LIKE '%waiting%'",
      [id],
    );
    expect(JSON.stringify(texts)).to.include(
      `Stage 1 of 1 (stage-0): waiting, no LLM gateway can be reached`,
    );
  });

  const limited = (retry_after: string) => ({
    steps: [
      { error: { code: "rate_limited", message: "slow down", retryable: true, retry_after, retried: false } },
    ],
  });
  const executions = async (id: string) =>
    fixture.executor.query(
      `SELECT status, error_message, iteration_state->>'iteration' AS iterations
       FROM agent_executions WHERE session_id = $1 ORDER BY agent_index`,
      [id],
    );

  it("for a rate limit uses up no iteration, while its other agents work", async () => {
    await fixture.play(
      { when: { contains: "name is Limited", attempt: 1, call: 1 }, ...limited("40s") },
      { steps: [{ text: "found it" }] },
    );
    const id = await fixture.executor.insert({ stages: [["Limited", "Free"]] });
    expect(await fixture.run(id)).to.equal("waiting");
    expect(await runtime(id)).to.include({ kind: "provider", reason: "slow down", deferred: true });
    expect(JSON.stringify(await fixture.timelineRows(id))).to.match(
      /The agent waits for its provider, until 2\S+Z at first: slow down/u,
    );
    const [waits, works] = await executions(id);
    expect(waits).to.include({ status: "active", iterations: "0" });
    expect(works).to.include({ status: "completed", iterations: "1" });
    await fixture.play({ steps: [{ text: "found it" }] });
    // Claimed before its time, it waits on.
    await fixture.executor.query("UPDATE session_runtime SET not_before = now() WHERE session_id = $1", [id]);
    expect(await fixture.run(id)).to.equal("waiting");
    await now(id);
    expect(await fixture.run(id)).to.equal("completed");
    expect((await executions(id))[0]).to.include({ status: "completed", iterations: "1" });
    const told = (await fixture.timelineRows(id)).map((row) => JSON.stringify(row));
    expect(told.filter((row) => row.includes("waits for its provider"))).to.have.length(1);
  });

  it("for no provider that names a time too late: its agent fails with the provider's error, without other tries", async () => {
    await fixture.play(limited("1h"));
    const id = await fixture.executor.insert({ strategy: "native-thinking" });
    expect(await fixture.run(id)).to.equal("failed");
    expect(await executions(id)).to.deep.equal([
      { status: "failed", error_message: "slow down", iterations: "1" },
    ]);
  });

  it("ends at its deadline if the gateway stays away", async () => {
    const id = await fixture.executor.insert({ sessionTimeoutMs: 60_000 });
    await fixture.gateway.kill();
    expect(await fixture.run(id)).to.equal("waiting");
    await fixture.executor.query(
      "UPDATE alert_sessions SET started_at = now() - interval '60 s' WHERE session_id = $1",
      [id],
    );
    await now(id);
    expect(await fixture.run(id)).to.equal("timed_out");
    await fixture.gateway.start();
  });

  it("is cancelled before its time", async () => {
    const id = await fixture.executor.insert();
    await fixture.gateway.kill();
    expect(await fixture.run(id)).to.equal("waiting");
    await fixture.executor.cancel(id);
    expect(await fixture.run(id)).to.equal("cancelled");
    await fixture.gateway.start();
  });

  it("does not count a wait for a stated time against its deadline", async () => {
    const id = await fixture.executor.insert({ sessionTimeoutMs: 60_000 });
    await fixture.executor.claim(id);
    await fixture.executor.query(
      "UPDATE alert_sessions SET started_at = now() - interval '110 s' WHERE session_id = $1",
      [id],
    );
    await fixture.executor.query(
      `UPDATE session_runtime SET lease_expires_at = NULL, waiting_for = $2, waiting_since = now() - interval '100 s',
         not_before = now() WHERE session_id = $1`,
      [id, JSON.stringify(waiting({}))],
    );
    const claim = await fixture.executor.claim(id);
    expect(claim.deadlineInMs).to.be.within(40_000, 50_100);
    expect(claim.events.map(({ payload }) => payload.type)).to.deep.equal(["session.status"]);
    const paused = "paused_ms BETWEEN 100000 AND 110000 AS counted, waiting_for, waiting_since";
    expect(await fixture.executor.row("session_runtime", paused, id)).to.deep.equal({
      counted: true,
      waiting_for: null,
      waiting_since: null,
    });
  });

  it("for its tools is released, and investigates with them once a runner lists them", async () => {
    await fixture.play({ steps: [{ text: "Final Answer: found it" }] });
    const id = await fixture.executor.insert({ strategy: "react", servers: ["k8s"] });
    expect(await fixture.run(id)).to.equal("waiting");
    expect(await runtime(id)).to.include({
      attempts: 0,
      kind: "tools",
      reason: "tools cannot be listed: no service answers on tarsy.tools.list",
    });
    await using runner = await ToolRunnerFixture.start(fixture.executor.servers);
    await now(id);
    expect(await fixture.run(id)).to.equal("completed");
    expect(await runner.calls()).to.equal(0);
    expect(await fixture.executor.row("alert_sessions", "degraded", id)).to.deep.equal({ degraded: false });
  });

  it("for a server that cannot be listed is released, and goes on without it after a minute", async () => {
    const failed = [{ server: "k8s", code: "unreachable", message: "connection refused" }];
    using _runner = await AnsweringRunner.start(fixture.executor.bus, { listing: { tools: [], failed } });
    await fixture.play({ steps: [{ text: "Final Answer: a guess" }] });
    const id = await fixture.executor.insert({ strategy: "react", servers: ["k8s"] });
    expect(await fixture.run(id)).to.equal("waiting");
    const reason = "its server k8s cannot be listed (connection refused)";
    expect(await runtime(id)).to.include({ attempts: 0, kind: "tools", reason });
    await fixture.executor.query(
      `UPDATE agent_executions SET iteration_state =
         jsonb_set(iteration_state, '{unfinished_step,waiting,since}', to_jsonb(now() - interval '1 min'))
       WHERE session_id = $1`,
      [id],
    );
    await now(id);
    expect(await fixture.run(id)).to.equal("completed");
    expect(await fixture.executor.row("alert_sessions", "degraded", id)).to.deep.equal({ degraded: true });
    expect((await fixture.timelineRows(id))[0]).to.deep.equal({
      row: "error completed",
      content: `The agent goes on without tools: ${reason}`,
    });
  });

  it("goes on without its tools, visibly, when its time runs out", async () => {
    await fixture.play({ steps: [{ text: "Final Answer: a guess" }] });
    // The listing is given up when less than a third of the time is left.
    const id = await fixture.executor.insert({
      strategy: "react",
      servers: ["k8s"],
      sessionTimeoutMs: 9_000,
    });
    expect(await fixture.run(id)).to.equal("completed");
    expect(await fixture.executor.row("alert_sessions", "degraded", id)).to.deep.equal({ degraded: true });
    expect((await fixture.timelineRows(id))[0]).to.deep.equal({
      row: "error completed",
      content:
        "The agent goes on without tools: tools cannot be listed: no service answers on tarsy.tools.list",
    });
    expect(await fixture.eventLog(id)).to.deep.include({ event: "timeline_event.created error completed" });
  });

  it("marks an agent whose servers offer nothing", async () => {
    await fixture.play({ steps: [{ text: "Final Answer: a guess" }] });
    await using _runner = await ToolRunnerFixture.start(fixture.executor.servers);
    const id = await fixture.executor.insert({ strategy: "react", servers: ["elsewhere"] });
    expect(await fixture.run(id)).to.equal("completed");
    expect(await fixture.executor.row("alert_sessions", "degraded", id)).to.deep.equal({ degraded: true });
  });
});
