import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { pino } from "pino";
import { Registry } from "prom-client";
import { until } from "../../../test/support/until.ts";
import { createExecutorMetrics } from "../executor-metrics.ts";
import {
  keepCircuits,
  tellOutcome,
  type ProviderCircuits,
  type TrackedCall,
  providerVerdict,
  type ProviderVerdict,
} from "../llm/provider-circuits.ts";
import { ExecutorFixture } from "./executor-fixture.ts";
import { scriptedProvider } from "./resolved-chain.ts";
import { RunFixture } from "./run-fixture.ts";

const log = pino({ level: "silent" });
const PROVIDER = scriptedProvider("scripted", "script.yaml");
const FOREVER = "UPDATE llm_circuits SET probe_at = now() + interval '5 min'";
const DUE = "UPDATE llm_circuits SET probe_at = now()";

async function admitted(circuits: ProviderCircuits): Promise<TrackedCall> {
  const call = await circuits.admit(PROVIDER);
  if ("probeInMs" in call) throw new Error("the provider counts as away");
  return call;
}

describe("the circuit of a provider", () => {
  const resources = new AsyncDisposableStack();
  let executor: ExecutorFixture;
  let one: ProviderCircuits;
  let two: ProviderCircuits;
  const { circuitOpen } = createExecutorMetrics(new Registry());

  before(async () => {
    executor = resources.use(await ExecutorFixture.start());
    one = resources.use(keepCircuits({ db: executor.db, log, gauge: circuitOpen }));
    two = resources.use(
      keepCircuits({ db: executor.db, log, gauge: createExecutorMetrics(new Registry()).circuitOpen }),
    );
  });
  after(() => resources.disposeAsync());
  beforeEach(async () => {
    await executor.query("DELETE FROM llm_circuits", []);
    await Promise.all([one.refresh(), two.refresh()]);
  });

  const fail = async (circuits: ProviderCircuits, session: string = randomUUID()) =>
    (await admitted(circuits)).failed(session, "refused");
  const isOpen = (circuits: ProviderCircuits) => circuits.find(PROVIDER) !== undefined;
  const gauge = async () => (await circuitOpen.get()).values.map(({ value }) => value);

  it("opens for all executors with the failures of two sessions, not with those of one", async () => {
    const session = randomUUID();
    await fail(one, session);
    await fail(two, session);
    await fail(one, session);
    await Promise.all([one.refresh(), two.refresh()]);
    expect([isOpen(one), isOpen(two)]).to.deep.equal([false, false]);
    await fail(two);
    expect(two.find(PROVIDER)).to.include({ lastError: "refused" });
    expect(two.find(PROVIDER)?.probeInMs).to.be.within(1, 5_000);
    await until("the other executor knows", () => isOpen(one));
    expect(await gauge()).to.deep.equal([1]);
    // Another entry of the same name is another provider.
    expect(one.find({ ...PROVIDER, model: "another" })).to.equal(undefined);
  });

  it("does not open if a call succeeded between two failures, or if they are a minute apart", async () => {
    await fail(one);
    await executor.query("UPDATE llm_circuits SET first_failure_at = now() - interval '2 s'", []);
    await (await admitted(one)).answered();
    await fail(one);
    await one.refresh();
    expect(isOpen(one)).to.equal(false);
    await executor.query("UPDATE llm_circuits SET first_failure_at = now() - interval '61 s'", []);
    await fail(two);
    expect(isOpen(two)).to.equal(false);
    await fail(two);
    expect(isOpen(two)).to.equal(true);
  });

  it("lets one executor probe at a time, later after each probe that fails, and closes with one that is answered", async () => {
    await fail(one);
    await fail(one);
    expect(await one.admit(PROVIDER))
      .to.have.property("probeInMs")
      .that.is.greaterThan(0);
    await executor.query(DUE, []);
    await Promise.all([one.refresh(), two.refresh()]);
    const calls = await Promise.all([one.admit(PROVIDER), two.admit(PROVIDER), one.admit(PROVIDER)]);
    const probes = calls.filter((call) => "answered" in call);
    expect(probes).to.have.length(1);
    await probes[0]?.doubtful(randomUUID(), "silent");
    const [row] = await executor.query(
      `SELECT last_error, probe_by, failed_probes, extract(epoch FROM probe_at - now()) > 5 AS later FROM llm_circuits`,
      [],
    );
    expect(row).to.deep.equal({ last_error: "silent", probe_by: null, failed_probes: 1, later: true });
    await executor.query(DUE, []);
    await two.refresh();
    await (await admitted(two)).answered();
    await one.refresh();
    expect([isOpen(one), isOpen(two)]).to.deep.equal([false, false]);
    expect(await executor.query("SELECT * FROM llm_circuits", [])).to.deep.equal([]);
    expect(await gauge()).to.deep.equal([0]);
  });

  it("lets another executor probe if the one that began stops without a word, and keeps the right of one that calls", async () => {
    await fail(one);
    await fail(one);
    await executor.query(DUE, []);
    const dying = keepCircuits({ db: executor.db, log, gauge: circuitOpen });
    await dying.refresh();
    await admitted(dying);
    await executor.query("UPDATE llm_circuits SET probe_until = now() + interval '1 s'", []);
    await dying.refresh();
    const [kept] = await executor.query(
      "SELECT probe_until > now() + interval '5 s' AS kept FROM llm_circuits",
      [],
    );
    expect(kept).to.deep.equal({ kept: true });
    await dying[Symbol.asyncDispose]();
    await two.refresh();
    expect(await two.admit(PROVIDER)).to.have.property("probeInMs");
    await executor.query("UPDATE llm_circuits SET probe_until = now()", []);
    await two.refresh();
    const probe = await admitted(two);
    await probe.abandoned();
    expect(await executor.query("SELECT probe_by FROM llm_circuits", [])).to.deep.equal([{ probe_by: null }]);
  });

  it("learns from each kind of outcome whether the provider is away", async () => {
    const failed = (code: string, rest: object = {}) =>
      ({ kind: "failed", code, message: "no", retryable: true, ...rest }) as const;
    const table: readonly (readonly [Parameters<typeof providerVerdict>[0], ProviderVerdict])[] = [
      [{ kind: "completed" }, "answers"],
      [failed("max_retries", { lastCode: "overloaded" }), "away"],
      [failed("max_retries"), "away"],
      [failed("max_retries", { lastCode: "rate_limited" }), "answers"],
      [failed("credentials", { retryable: false }), "answers"],
      [failed("overloaded", { retryAfterMs: 15_000 }), "away"],
      // A gateway that stops.
      [failed("overloaded", { retryAfterMs: 1_000 }), "unknown"],
      [failed("provider_error", { retryAfterMs: 15_000 }), "away"],
      [failed("provider_error"), "doubtful"],
      [failed("timeout"), "doubtful"],
      [failed("rate_limited", { retryAfterMs: 60_000 }), "answers"],
      [failed("invalid_request"), "answers"],
      [failed("unknown_provider"), "unknown"],
      [{ kind: "unreachable", message: "no", reason: "no" }, "unknown"],
      [{ kind: "interrupted", message: "no", reason: "no" }, "unknown"],
    ];
    for (const [outcome, verdict] of table) {
      expect(providerVerdict(outcome), JSON.stringify(outcome)).to.equal(verdict);
    }
    for (const _session of [1, 2]) {
      await tellOutcome(await admitted(one), randomUUID(), failed("timeout"));
      await tellOutcome(await admitted(one), randomUUID(), failed("rate_limited"));
    }
    expect(isOpen(one)).to.equal(false);
    await tellOutcome(await admitted(one), randomUUID(), failed("max_retries"));
    await tellOutcome(await admitted(one), randomUUID(), failed("max_retries"));
    expect(isOpen(one)).to.equal(true);
  });
});

const SESSIONS = 50;
const FIRST = 10;

describe("fifty sessions whose provider is away", () => {
  const resources = new AsyncDisposableStack();
  let fixture: RunFixture;

  before(async () => {
    fixture = resources.use(await RunFixture.start({ others: ["second"] }));
  });
  after(() => resources.disposeAsync());

  const AWAY = {
    steps: [
      { error: { code: "overloaded", message: "down", retryable: true, retry_after: "15s", retried: false } },
    ],
  };
  const callsTo = async (model: string) => {
    const metrics = await fixture.gateway.metrics();
    const lines = metrics
      .split("\n")
      .filter((line) => line.startsWith("tarsy_llm_calls_total{") && line.includes(`"${model}"`));
    return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  };
  const waitingFor = async (id: string) =>
    fixture.executor.row(
      "session_runtime",
      "waiting_for->>'kind' AS kind, waiting_for->>'reason' AS reason",
      id,
    );
  const due = async () => {
    await fixture.executor.query("UPDATE session_runtime SET not_before = NULL", []);
    await fixture.executor.query(
      `UPDATE agent_executions SET iteration_state =
         jsonb_set(iteration_state, '{unfinished_step,waiting,until}', '"2026-01-01T00:00:00Z"')
       WHERE iteration_state->'unfinished_step'->'waiting' <> 'null'`,
      [],
    );
  };

  it("make no more calls than were running when it failed, and all complete once it is back", async () => {
    await fixture.play(AWAY);
    const insert = async (count: number) =>
      Promise.all(Array.from({ length: count }, async () => fixture.executor.insert()));
    const runAll = async (ids: readonly string[]) => Promise.all(ids.map((id) => fixture.run(id)));
    const early = await insert(FIRST);
    const ends = await runAll(early);
    expect(new Set(ends)).to.deep.equal(new Set(["waiting"]));
    await fixture.executor.query(FOREVER, []);
    await fixture.executor.deps.circuits.refresh();
    const ids = [...early, ...(await insert(SESSIONS - FIRST))];
    await due();
    expect(new Set(await runAll(ids))).to.deep.equal(new Set(["waiting"]));
    const calls = await callsTo("scripted-test");
    expect(calls).to.be.within(2, FIRST);
    expect(await waitingFor(ids.at(-1) ?? "")).to.deep.equal({
      kind: "provider",
      reason: "scripted is away: down",
    });

    await fixture.playOn("second", { steps: [{ text: "found it elsewhere" }] });
    const elsewhere = await fixture.executor.insert({ fallbacks: ["second"] });
    expect(await fixture.run(elsewhere)).to.equal("completed");
    const fallbacks = await fixture.executor.query(
      `SELECT metadata->>'error_code' AS code FROM timeline_events
       WHERE session_id = $1 AND event_type = 'provider_fallback' ORDER BY sequence_number`,
      [elsewhere],
    );
    // The agent and the summary.
    expect(fallbacks).to.deep.equal([{ code: "circuit_open" }, { code: "circuit_open" }]);
    expect(await callsTo("scripted-test")).to.equal(calls);

    await fixture.play({ steps: [{ text: "found it" }] });
    await fixture.executor.query(DUE, []);
    await fixture.executor.deps.circuits.refresh();
    await due();
    const [probe = "", ...others] = ids;
    expect(await fixture.run(probe)).to.equal("completed");
    expect(new Set(await runAll(others))).to.deep.equal(new Set(["completed"]));
    const used = await fixture.executor.query(
      "SELECT DISTINCT iteration_state->>'iteration' AS iterations FROM agent_executions",
      [],
    );
    expect(used).to.deep.equal([{ iterations: "1" }]);
  });
});
