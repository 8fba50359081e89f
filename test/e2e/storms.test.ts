import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { errorMessage } from "#shared/errors.ts";
import { pause } from "#shared/pause.ts";
import { describeNightly } from "../support/nightly.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { SUMMARY_CALL } from "../support/scripts.ts";
import { testPort } from "../support/test-port.ts";
import type { RunningService } from "../support/tarsy-system.ts";
import { until } from "../support/until.ts";

const APIS = 3;
const SENDERS = 24;
const RETRY_MS = 50;
const TARSY = {
  queue: { worker_count: 5, max_concurrent_sessions: 5 },
  defaults: { llm_provider: "scripted", alert_type: "storm" },
  mcp_servers: { k8s: { transport: { type: "stdio", command: "true" } } },
  agents: { Looker: { mcp_servers: ["k8s"], iteration_strategy: "native-thinking" } },
  agent_chains: {
    storm: {
      alert_types: ["storm"],
      grouping: {
        by: ["/incident"],
        on_resolved: "conclude",
        resolved: { path: "/state", values: ["resolved"] },
      },
      stages: [{ name: "look", agents: [{ name: "Looker" }] }],
    },
  },
};
const SCRIPT = {
  calls: [
    SUMMARY_CALL,
    { when: { last_contains: "reports that the incident is over" }, steps: [{ text: "it is over" }] },
    // The storm has begun before its answer.
    {
      when: { call: 1 },
      steps: [{ thinking: "hm" }, { delay: "2s" }, { tool_call: { name: "k8s.pods", arguments: {} } }],
    },
    { steps: [{ text: "one switch" }] },
  ],
};
const STUB_TOOLS = {
  servers: { k8s: { pods: { description: "Lists pods", read_only: true, results: [{ text: "3 pods" }] } } },
};

const parseAnswer = compileParser(
  "answer",
  Type.Object({ session_id: Type.Optional(Type.String()), status: Type.String() }),
);
type Answer = ReturnType<typeof parseAnswer>;
const parseRow = compileParser(
  "row of an alert",
  Type.Object({ session_id: Type.String(), ordinal: Type.Integer(), text: Type.String() }),
);
const parseText = compileParser("text", Type.Object({ text: Type.String() }));

describeNightly("a storm of alerts through three apis, of which one is killed", function () {
  this.timeout(180_000);
  let pipeline: PipelineFixture;
  let apis: { readonly url: string; readonly service: RunningService }[];

  before(async () => {
    pipeline = await PipelineFixture.start({
      config: { tarsy: TARSY, script: SCRIPT, stubTools: STUB_TOOLS },
    });
  });
  after(() => pipeline[Symbol.asyncDispose]());
  beforeEach(async () => {
    const { system } = pipeline;
    apis = [{ url: system.api, service: system.find("api") }];
    while (apis.length < APIS) {
      const port = await testPort();
      const service = await system.startService("api", { API_PORT: String(port) });
      apis.push({ url: `http://127.0.0.1:${port}`, service });
    }
  });
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });

  /** Sends an alert until an api has accepted it, each time to the next one, with a key of its own. */
  const send = async (alert: object, n: number) => {
    const key = randomUUID();
    for (let tries = 0; ; tries++) {
      const api = apis[(n + tries) % APIS];
      try {
        const response = await fetch(`${api?.url}/api/v1/alerts`, {
          method: "POST",
          headers: { "content-type": "application/json", "idempotency-key": key },
          body: JSON.stringify({ data: JSON.stringify(alert), alert_type: "storm" }),
        });
        if (response.status === 202) return parseAnswer(await response.json());
        if (response.status < 500) throw new TypeError(`refused: ${await response.text()}`);
      } catch (error) {
        if (errorMessage(error).startsWith("refused")) throw error;
      }
      await pause(RETRY_MS, AbortSignal.timeout(10_000));
    }
  };

  /**
   * Sends all of them from several senders, and kills an api once a third is accepted. The executors pause from soon after the
   * beginning until the end, so that the storm is not longer than the sessions, however busy the machine is.
   */
  const storm = async (alerts: readonly object[]) => {
    const answers: Answer[] = [];
    let next = 0;
    const sender = async () => {
      while (next < alerts.length) {
        const n = next++;
        answers.push(await send(alerts[n] ?? {}, n));
      }
    };
    const accepted = async (count: number) =>
      until(`${count} are accepted`, () => Promise.resolve(answers.length >= count));
    const executors = pipeline.system.all("executor").map(({ process: child }) => child);
    const sending = Promise.all(Array.from({ length: SENDERS }, sender));
    try {
      await accepted(20);
      for (const executor of executors) executor.kill("SIGSTOP");
      await accepted(alerts.length / 3);
      const killed = apis[1];
      if (killed !== undefined) await pipeline.system.end(killed.service, "SIGKILL");
      await sending;
    } finally {
      for (const executor of executors) executor.kill("SIGCONT");
    }
    return answers;
  };

  /** Every alert that is stored, with its text wherever that is. */
  const stored = async (marker: string) => {
    const rows = await pipeline.servers.query(
      `SELECT a.session_id, a.ordinal, coalesce(a.data, s.alert_data) AS text
       FROM group_alerts a JOIN alert_sessions s USING (session_id) WHERE s.alert_data LIKE $1 ORDER BY 1, 2`,
      [`%${marker}%`],
    );
    return rows.map((row) => parseRow(row));
  };

  it("is one session with each of 500 alerts in exactly one row, and its agent is told each once", async () => {
    const marker = randomUUID();
    const alerts = Array.from({ length: 500 }, (_, n) => ({ incident: marker, n }));
    const answers = await storm(alerts);
    const ids = new Set(answers.map(({ session_id }) => session_id));
    expect(ids).to.have.property("size", 1);
    const rows = await stored(marker);
    expect(rows.map(({ ordinal }) => ordinal)).to.deep.equal(alerts.map((_, n) => n + 1));
    expect(new Set(rows.map(({ text }) => text))).to.deep.equal(
      new Set(alerts.map((alert) => JSON.stringify(alert))),
    );
    const [id = ""] = ids;
    const session = await pipeline.client.waitFor(id, ["completed", "failed", "cancelled", "timed_out"]);
    expect(session).to.include({ status: "completed", final_analysis: "one switch" });
    expect(
      await pipeline.servers.query("SELECT count::int AS n FROM alert_groups WHERE session_id = $1", [id]),
    ).to.deep.equal([{ n: 500 }]);
    const [told] = await pipeline.servers.query(
      `SELECT sum(alerts)::text || ' ' || max(through)::text || ' ' ||
         (SELECT count(*) FROM messages WHERE session_id = $1 AND content LIKE '%of the incident that you investigate%') AS text
       FROM evidence_deliveries WHERE session_id = $1`,
      [id],
    );
    expect(parseText(told).text).to.match(/^499 500 [1-3]$/u);
    const events = await pipeline.servers.query(
      "SELECT payload ->> 'type' AS text FROM events WHERE session_id = $1 AND payload ->> 'type' = 'alert.linked'",
      [id],
    );
    expect(events.length).to.be.within(1, 20);
  });

  it("is one session for each of ten groups, which conclude when they are over", async () => {
    const markers = Array.from({ length: 10 }, () => randomUUID());
    const batch = randomUUID();
    const alerts = Array.from({ length: 300 }, (_, n) => ({
      incident: markers[n % 10],
      batch,
      n,
      ...(n >= 100 && n % 7 === 0 ? { state: "resolved" } : {}),
    }));
    await storm(alerts);
    const rows = await stored(batch);
    expect(new Set(rows.map(({ session_id }) => session_id))).to.have.property("size", 10);
    expect(rows.map(({ text }) => text).toSorted()).to.deep.equal(
      alerts.map((alert) => JSON.stringify(alert)).toSorted(),
    );
    for (const id of new Set(rows.map(({ session_id }) => session_id))) {
      const own = rows.filter(({ session_id }) => session_id === id);
      expect(own.map(({ ordinal }) => ordinal)).to.deep.equal(own.map((_, n) => n + 1));
      const session = await pipeline.client.waitFor(id, ["completed", "failed", "cancelled", "timed_out"]);
      expect(session, id).to.include({ status: "completed", final_analysis: "it is over" });
    }
    const calls = await pipeline.servers.query(
      `SELECT count(*) FILTER (WHERE interaction_type = 'forced_conclusion') || ' ' ||
         count(*) FILTER (WHERE interaction_type = 'iteration') AS text FROM llm_interactions
       WHERE session_id = ANY($1::uuid[])`,
      [[...new Set(rows.map(({ session_id }) => session_id))]],
    );
    // Those that ran asked for a tool, which was not called any more; those that waited only concluded.
    expect(parseText(calls[0]).text).to.match(/^10 (?:\d|10)$/u);
  });
});
