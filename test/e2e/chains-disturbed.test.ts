import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setInterval as every } from "node:timers/promises";
import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { BackingServers } from "../support/backing-servers.ts";
import { CHAIN_ROWS } from "../support/chain-rows.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { describeNightly, repetitions, testSeed } from "../support/nightly.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { SUMMARY_CALL } from "../support/scripts.ts";
import type { TarsyClient } from "../support/tarsy-client.ts";
import type { TarsySystem } from "../support/tarsy-system.ts";
import { until } from "../support/until.ts";

/** How often an executor is killed. Each kill takes until the lease expires. */
const KILLS = Number(process.env["CHAIN_KILLS"] ?? repetitions({ daily: 2, nightly: 12 }));
/** The number of executor connections that are cut, ten per second. */
const CUTS = Number(process.env["CHAIN_CUTS"] ?? 40);
const CONCURRENT_SESSIONS = 3;
const LONG_MS = 240_000;
/** The same in every session, because it is part of every agent's first message. */
const ALERT = "disk full";

const THREE = [{ name: "Pods" }, { name: "Metrics" }, { name: "Reader" }];
const TARSY = {
  queue: { worker_count: 3, max_concurrent_sessions: 9, max_parallel_agents: 3 },
  defaults: { llm_provider: "scripted", alert_type: "incident" },
  mcp_servers: { k8s: { transport: { type: "stdio", command: "true" } } },
  agents: {
    Pods: { mcp_servers: ["k8s"], iteration_strategy: "react" },
    Metrics: { mcp_servers: ["k8s"], iteration_strategy: "native-thinking" },
    Reader: { mcp_servers: [] },
  },
  agent_chains: {
    incident: {
      alert_types: ["incident"],
      stages: ["look", "think", "decide"].map((name) => ({ name, agents: THREE })),
    },
  },
};
/** Per stage: one call of the first agent, two of the second. */
const TOOL_CALLS = 3 * 3;

const STUB_TOOLS = {
  call_log: "calls.jsonl",
  servers: {
    k8s: {
      pods: { description: "Lists pods", read_only: true, results: [{ text: "3 pods", delay: "100ms" }] },
      restart: { description: "Restarts", read_only: false, results: [{ text: "done", delay: "100ms" }] },
    },
  },
};

/** Slow enough that a kill interrupts a call. */
const SCRIPT = {
  calls: [
    SUMMARY_CALL,
    {
      when: { contains: "Bring the results" },
      steps: [{ text: "all agree", chunk_size: 3, chunk_delay: "50ms" }],
    },
    {
      when: { call: 1, tools: true },
      steps: [
        { thinking: "let me see", chunk_size: 4, chunk_delay: "50ms" },
        { tool_call: { name: "k8s.pods", arguments: { of: "native" } } },
        { tool_call: { name: "k8s.restart", arguments: { of: "native" } } },
      ],
    },
    {
      when: { call: 1, contains: "**k8s.pods**" },
      steps: [
        { text: "Thought: look\nAction: k8s.restart\nAction Input: {}", chunk_size: 8, chunk_delay: "50ms" },
      ],
    },
    { when: { last_contains: "Observation" }, steps: [{ text: "Thought: so\nFinal Answer: memory" }] },
    { steps: [{ text: "it is the memory", chunk_size: 4, chunk_delay: "50ms" }] },
  ],
};

const parseRuntime = compileParser(
  "runtime",
  Type.Array(
    Type.Object({ last_seq: Type.Integer(), lease_owner: Type.Union([Type.String(), Type.Null()]) }),
  ),
);

/** Compares column by column, so that a failure prints only the column that differs. */
function expectSameRows(found: unknown, expected: unknown, how: string): void {
  for (const [column, value] of Object.entries(expected ?? {})) {
    expect(found, `${how}: ${column}`).to.have.deep.property(column, value);
  }
}

describeNightly("chains of three stages with three agents, under faults", () => {
  const random = seededRandom(testSeed());
  let pipeline: PipelineFixture;
  let servers: BackingServers;
  let system: TarsySystem;
  let client: TarsyClient;
  let configDir: string;
  let undisturbed: unknown;
  /** The number of events of an undisturbed session. */
  let eventCount = 0;

  before(async () => {
    const config = { tarsy: TARSY, script: SCRIPT, stubTools: STUB_TOOLS };
    pipeline = await PipelineFixture.start({ ownServers: true, config, executors: 3 });
    ({ servers, configDir, system, client } = pipeline);
    const called = await toolCalls();
    const id = await client.submit(ALERT);
    await client.waitFor(id, ["completed", "failed"]);
    undisturbed = await rows(id);
    expect(undisturbed).to.include({ status: "completed", contiguous: true, goes_forward: true });
    expect((await toolCalls()) - called).to.equal(TOOL_CALLS);
    eventCount = (await runtime(id)).last_seq;
  });
  after(() => pipeline[Symbol.asyncDispose]());
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });

  const rows = async (id: string) => (await servers.query(CHAIN_ROWS, [id]))[0];
  const runtime = async (id: string) => {
    const [row] = parseRuntime(
      await servers.query("SELECT last_seq, lease_owner FROM session_runtime WHERE session_id = $1", [id]),
    );
    if (row === undefined) throw new Error(`no session ${id}`);
    return row;
  };
  /** The number of calls started, from the tools' own log. */
  const toolCalls = async () =>
    (await readFile(join(configDir, "calls.jsonl"), "utf8").catch(() => "")).split("\n").length - 1;
  /** Waits for a random event of a session; resolves with its seq. */
  const waitForRandomEvent = async (id: string) => {
    const seq = 2 + Math.floor(random() * (eventCount - 4));
    await until(`event ${seq}`, async () => (await runtime(id)).last_seq >= seq, LONG_MS);
    return seq;
  };
  const submit = async () =>
    Promise.all(Array.from({ length: CONCURRENT_SESSIONS }, () => client.submit(ALERT)));
  const expectUndisturbed = async (ids: readonly string[], calledBefore: number, how: string) => {
    for (const id of ids) {
      const { status, error_message } = await until(
        `session ${id} has ended`,
        async () => {
          const session = await client.session(id);
          return ["completed", "failed", "cancelled", "timed_out"].includes(session.status) && session;
        },
        LONG_MS,
      );
      expect(status, `${how}: ${error_message}`).to.equal("completed");
      expectSameRows(await rows(id), undisturbed, how);
    }
    expect((await toolCalls()) - calledBefore, how).to.equal(TOOL_CALLS * ids.length);
  };
  /** Every executor that no test killed is still running. */
  const expectAllRunning = () => {
    for (const { name, process: child } of system.all("executor")) {
      expect([name, child.exitCode, child.signalCode]).to.deep.equal(["executor", null, null]);
    }
  };

  it(`end with the same rows when their executor is killed at ${KILLS} random times`, async function () {
    this.timeout(LONG_MS * (KILLS + 1));
    for (let kills = 0; kills < KILLS;) {
      const called = await toolCalls();
      const ids = await submit();
      const how: string[] = [];
      for (const id of ids.slice(0, KILLS - kills)) {
        const seq = await waitForRandomEvent(id);
        const { lease_owner } = await runtime(id);
        const owner = system
          .all("executor")
          .find(({ process: child }) => lease_owner?.endsWith(`-${child.pid}`));
        kills += 1;
        if (owner === undefined) continue; // the session has ended meanwhile
        how.push(`killed after event ${seq} of ${id}`);
        await system.end(owner, "SIGKILL");
        await system.startService("executor");
      }
      await expectUndisturbed(ids, called, how.join(", "));
    }
  });

  it("continue when Postgres restarts", async function () {
    this.timeout(2 * LONG_MS);
    const called = await toolCalls();
    const ids = await submit();
    const seq = await waitForRandomEvent(ids[0] ?? "");
    await servers.stopPostgres();
    await servers.restartPostgres();
    await expectUndisturbed(ids, called, `stopped after event ${seq}`);
    expectAllRunning();
  });

  it("continue when NATS restarts", async function () {
    this.timeout(2 * LONG_MS);
    const called = await toolCalls();
    const ids = await submit();
    const seq = await waitForRandomEvent(ids[0] ?? "");
    await servers.killNats();
    await servers.restartNats();
    await expectUndisturbed(ids, called, `stopped after event ${seq}`);
    expectAllRunning();
  });

  it(`continue while ${CUTS} connections of the executors to Postgres are cut one by one`, async function () {
    this.timeout(2 * LONG_MS);
    const called = await toolCalls();
    const ids = await submit();
    await waitForRandomEvent(ids[0] ?? "");
    let cuts = 0;
    for await (const _ of every(100)) {
      await servers.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name ~ $1 AND backend_type = 'client backend' ORDER BY random() LIMIT 1`,
        [
          system
            .all("executor")
            .map(({ process: child }) => `-${child.pid}$`)
            .join("|"),
        ],
      );
      if ((cuts += 1) >= CUTS) break;
    }
    await expectUndisturbed(ids, called, `cut ${cuts} times`);
    expectAllRunning();
  });
});
