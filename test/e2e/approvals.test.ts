import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { describeNightly, NIGHTLY, repetitions } from "../support/nightly.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { EVERY_SERVICE, removalConfig } from "../support/removal-config.ts";
import type { ServiceName } from "../support/tarsy-system.ts";
import { until } from "../support/until.ts";

const TOKEN = "the-token-of-the-tests-0123456789abcdef";
const KILLS = repetitions({ daily: 4, nightly: 50 });
const ENDED = ["completed", "failed", "cancelled", "timed_out"];
const VICTIMS: readonly ServiceName[] = ["tool-runner", "executor", "api", "notifier"];

const CONFIG = removalConfig("done");
const parseCall = compileParser(
  "logged call",
  Type.Object({ call_id: Type.String() }, { additionalProperties: true }),
);
const parseSession = compileParser(
  "session with open approvals",
  Type.Object(
    { approvals: Type.Array(Type.Object({ approval_id: Type.String() }, { additionalProperties: true })) },
    { additionalProperties: true },
  ),
);

describeNightly("a tool call that a person must agree to, in the whole system", () => {
  let pipeline: PipelineFixture;

  before(async () => {
    pipeline = await PipelineFixture.start({
      config: CONFIG,
      env: { APPROVAL_TOKEN: TOKEN },
    });
  });
  after(() => pipeline[Symbol.asyncDispose]());
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });

  /** The number of calls that the tool of this session has logged before it did anything. */
  const callsOf = async (id: string): Promise<number> => {
    const log = await readFile(join(pipeline.configDir, "calls.jsonl"), "utf8").catch(() => "");
    const rows = await pipeline.servers.query("SELECT call_id FROM tool_calls WHERE session_id = $1", [id]);
    const ids = JSON.stringify(rows);
    const calls = log.split("\n").filter((line) => line !== "");
    return calls.filter((line) => ids.includes(parseCall(JSON.parse(line)).call_id)).length;
  };
  const open = async (id: string): Promise<string | undefined> =>
    parseSession(await pipeline.client.session(id)).approvals[0]?.approval_id;
  /** The question of a new session whose agent waits, and which no executor owns. */
  const asked = async () => {
    const id = await pipeline.client.submitUntilAccepted("x");
    await until("the session waits", async () => {
      const [row] = await pipeline.servers.query(
        "SELECT waiting_for->>'kind' AS kind, lease_owner FROM session_runtime WHERE session_id = $1",
        [id],
      );
      return JSON.stringify(row) === '{"kind":"approval","lease_owner":null}';
    });
    return { id, approval: (await open(id)) ?? "" };
  };
  const decide = async ({ id, approval }: { id: string; approval: string }, decision: string) => {
    const url = `${pipeline.system.api}/api/v1/sessions/${id}/approvals/${approval}`;
    return until(`${decision} is answered`, async () => {
      const response = await fetch(url, {
        method: "POST",
        headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
        body: JSON.stringify({ decision }),
      }).catch(() => undefined);
      return response !== undefined && response.status < 500 ? response.status : undefined;
    });
  };
  const resultOf = async (id: string) =>
    JSON.stringify(
      await pipeline.servers.query(
        "SELECT content FROM timeline_events WHERE session_id = $1 AND event_type = 'tool_result'",
        [id],
      ),
    );

  it("waits through the death of every process, and is made once after the approval", async () => {
    const question = await asked();
    await Promise.all(EVERY_SERVICE.map(async (name) => pipeline.system.stop(name, "SIGKILL")));
    await Promise.all(EVERY_SERVICE.map(async (name) => pipeline.system.startService(name)));
    expect(await open(question.id)).to.equal(question.approval);
    expect(await callsOf(question.id)).to.equal(0);
    expect(await decide(question, "approve")).to.equal(200);
    expect((await pipeline.client.waitFor(question.id, ENDED)).status).to.equal("completed");
    expect(await callsOf(question.id)).to.equal(1);
    expect(await resultOf(question.id)).to.include("removed");
  });

  it("is not made with other arguments than those that were agreed to", async () => {
    const question = await asked();
    await pipeline.servers.query(
      "UPDATE approvals SET arguments_hash = encode(sha256('{\"pod\":\"b\"}'), 'hex') WHERE approval_id = $1",
      [question.approval],
    );
    expect(await decide(question, "approve")).to.equal(200);
    expect((await pipeline.client.waitFor(question.id, ENDED)).status).to.equal("completed");
    expect(await callsOf(question.id)).to.equal(0);
    expect(await resultOf(question.id)).to.include("has not been approved");
  });

  it("is made at most once, and only if it was approved, whichever process dies around the decision", async function () {
    this.timeout(NIGHTLY ? 1_800_000 : 400_000);
    const questions: { readonly id: string; readonly approval: string }[] = [];
    for (let n = 0; n < KILLS; n += 1) questions.push(await asked());
    for (const [n, question] of questions.entries()) {
      const victim = VICTIMS[n % VICTIMS.length] ?? "executor";
      const decided = decide(question, n % 3 === 2 ? "deny" : "approve");
      await pipeline.system.stop(victim, "SIGKILL");
      await pipeline.system.startService(victim);
      // 409: the answer to the first request was lost with the api.
      expect([200, 409]).to.include(await decided);
    }
    for (const [n, { id }] of questions.entries()) {
      const { status } = await pipeline.client.waitFor(id, ENDED);
      expect(status).to.equal("completed");
      const [calls, result] = [await callsOf(id), await resultOf(id)];
      if (n % 3 === 2) {
        expect(calls, `denied ${n}`).to.equal(0);
        expect(result).to.include("a person denied this call");
      } else if (result.includes("removed")) expect(calls, `approved ${n}`).to.equal(1);
      else {
        expect(calls, `lost ${n}`).to.be.at.most(1);
        expect(result).to.match(/not known|tool-runner/u);
      }
    }
  });
});
