import { expect } from "chai";
import type { Cassette } from "#shared/cassette/cassette.ts";
import { parseCassette } from "#shared/cassette/parse-cassette.ts";
import { changeConfig } from "../support/change-config.ts";
import { ask } from "../../services/executor/test/follow-up-fixture.ts";
import { joinAlerts } from "../../services/executor/test/join-alerts.ts";
import { insertRemembering, remember } from "../../services/executor/test/memory-fixture.ts";
import {
  answerTurn,
  callStep,
  callTurn,
  type Strategy,
} from "../../services/executor/test/scripted-turns.ts";
import { steer } from "../../services/executor/test/steer.ts";
import { CassetteRecorder } from "../support/cassette-recorder.ts";
import { ASKS_FOR_TOOL_SUMMARY } from "../support/scripts.ts";

/** That of the executor's fixture. */
const NONCE = "5e551011-0000-4000-8000-000000000000";
const said = (last_contains: string, ...steps: object[]) => ({ when: { last_contains }, steps });
const fails = (code: string, retryable = false) => ({ error: { code, message: `${code}!`, retryable } });

describe("a cassette", () => {
  let recorder: CassetteRecorder;

  before(async () => {
    recorder = await CassetteRecorder.start(["a-secret-of-the-api-process"]);
  });
  after(() => recorder[Symbol.asyncDispose]());

  const insert = async (options: Parameters<typeof recorder.runs.executor.insert>[0] = {}) =>
    recorder.runs.executor.insert(options);
  const play = async (...calls: object[]) => recorder.runs.play(...calls);
  const end = async (id: string, expected = "completed") =>
    expect(await recorder.runs.run(id)).to.equal(expected);

  /** Each call that was sent has the hash of the request that was sent for it, in this order; a killed one was sent again. */
  const expectExact = (cassette: Cassette) => {
    for (const { execution_id, agent_name, llm_calls } of cassette.executions) {
      const sent = recorder.sentHashes(execution_id, NONCE);
      let at = 0;
      for (const [index, { request_hash, was_sent }] of llm_calls.entries()) {
        if (!was_sent) continue;
        const found = request_hash === null ? -1 : sent.indexOf(request_hash, at);
        expect(found, `${agent_name}, call ${index}`).to.be.at.least(0);
        at = found + 1;
      }
    }
    expect(cassette.masked).to.deep.equal([]);
  };
  const exported = async (id: string) => {
    const cassette = await recorder.cassette(id);
    expectExact(cassette);
    return cassette;
  };
  const callsOf = (cassette: Cassette) => cassette.executions.flatMap(({ llm_calls }) => llm_calls);

  for (const strategy of ["react", "native-thinking"] as const satisfies Strategy[]) {
    it(`has what an agent asked, was answered and called, also after failures: ${strategy}`, async () => {
      await play(
        callTurn(strategy, 1, "k8s.pods", { namespace: "shop" }),
        said("pod checkout", { text: "I would" }, fails("partial_stream_error", true)),
        said("partial_stream_error!", callStep(strategy, "k8s.throws", {})),
        said("connection refused", callStep(strategy, "k8s.nothing", { a: [1] })),
        { ...answerTurn(strategy), steps: [{ thinking: "hm" }, ...answerTurn(strategy).steps] },
      );
      const id = await insert({ strategy, servers: ["k8s"] });
      await end(id);
      const cassette = await exported(id);
      const [first] = cassette.executions;
      expect(first?.tool_calls.map(({ tool, iteration, index }) => [tool, iteration, index])).to.deep.equal(
        strategy === "react"
          ? [
              ["pods", 1, 0],
              ["throws", 3, 0],
            ]
          : [
              ["pods", 1, 0],
              ["throws", 3, 0],
              ["nothing", 4, 0],
            ],
      );
      const replies = (first?.llm_calls ?? []).map(({ reply }) => reply);
      expect(replies[1]?.outcome).to.deep.equal({
        kind: "failed",
        code: "partial_stream_error",
        message: "partial_stream_error!",
        retryable: true,
      });
      expect(replies[1]?.text).to.equal("I would");
      expect(replies[4]?.thinking).to.equal("hm");
      expect(cassette.session).to.include({ status: "completed", executive_summary: "In short." });
    });
  }

  it("has replies without text as they were", async () => {
    await play({ steps: [{ usage: { input_tokens: 3, output_tokens: 0, thinking_tokens: 2 } }] });
    const id = await insert();
    await end(id, "failed");
    const cassette = await exported(id);
    expect(
      callsOf(cassette).map(({ error_code, reply }) => [error_code, reply.outcome.kind, reply.text]),
    ).to.deep.equal(Array.from({ length: 3 }, () => ["empty_response", "completed", ""]));
  });

  it("has parallel agents, their synthesis and what another provider took over", async () => {
    await play(
      { when: { contains: "You are Fails" }, steps: [fails("content_blocked")] },
      { when: { contains: "Bring the results" }, steps: [{ text: "both agree" }] },
      { steps: [{ text: "found it" }] },
    );
    await recorder.runs.playOn("second", { steps: [{ text: "the second says so" }] });
    const id = await insert({ stages: [["One", "Fails", "Two"], ["Three"]], fallbacks: ["second"] });
    await end(id);
    const cassette = await exported(id);
    expect(
      cassette.executions.map(({ agent_name, is_synthesis }) => [agent_name, is_synthesis]),
    ).to.deep.equal([
      ["One", false],
      ["Fails", false],
      ["Two", false],
      ["SynthesisAgent", true],
      ["Three", false],
    ]);
    expect(callsOf(cassette).map(({ input }) => input.model?.provider)).to.include("second");
  });

  it("has the whole text of a large result and the call that summarized it", async () => {
    const strategy = "native-thinking";
    await play(
      { when: ASKS_FOR_TOOL_SUMMARY, steps: [{ text: "  all pods are well  " }] },
      { when: { call: 1 }, steps: [callStep(strategy, "k8s.large", {}), callStep(strategy, "k8s.pods", {})] },
      answerTurn(strategy),
    );
    const summaries = { threshold_tokens: 5_000, max_tokens: 100 };
    const id = await insert({ strategy, servers: ["k8s"], summaries });
    await end(id);
    const cassette = await exported(id);
    const summary = callsOf(cassette).find(({ type }) => type === "summarization");
    expect(summary?.reply.text).to.equal("  all pods are well  ");
    expect(summary?.input.messages?.[1]?.content).to.have.length.above(300_000);
    expect(cassette.kept_results.map(({ bytes }) => bytes)).to.deep.equal([600_000]);
  });

  it("has the questions and the score behind a session's end", async () => {
    await play(
      { when: { contains: "Judge of Investigations", call: 1 }, steps: [{ text: "Fine.\n70" }] },
      { when: { contains: "Judge of Investigations" }, steps: [{ text: "a report" }] },
      { when: { contains: ["CURRENT TASK"], call: 1 }, steps: [callStep("native-thinking", "k8s.pods", {})] },
      { when: { contains: "CURRENT TASK" }, steps: [{ text: "the answer" }] },
      { steps: [{ text: "it was the memory" }] },
    );
    const id = await insert({ isScored: true });
    await end(id);
    await end(id, "followed-up");
    await ask(recorder.runs.executor, id, { servers: ["k8s"] });
    await end(id, "followed-up");
    const cassette = await exported(id);
    expect(cassette.follow_ups.map(({ kind, status }) => [kind, status])).to.deep.equal([
      ["score", "completed"],
      ["chat", "completed"],
    ]);
    expect(cassette.follow_ups[0]?.score).to.include({
      total_score: 70,
      tool_improvement_report: "a report",
    });
    expect(cassette.follow_ups[1]?.question).to.deep.equal({ content: "What happened?", author: "alice" });
  });

  it("is whole after a takeover and after a cancel", async () => {
    const strategy = "native-thinking";
    await play(
      callTurn(strategy, 1, "k8s.pods", {}),
      callTurn(strategy, 2, "k8s.broken", {}),
      answerTurn(strategy),
    );
    const options = { strategy, servers: ["k8s"] } as const;
    for (const writes of [2, 3, 4, 5]) {
      const id = await insert(options);
      await recorder.loseLeaseAtWrite(id, writes);
      await end(id, "lost");
      await end(id);
      const cassette = await exported(id);
      expect(cassette.inputs.claims).to.be.greaterThan(1);
      expect(callsOf(cassette)).to.have.length(4);
    }
    await play(callTurn(strategy, 1, "k8s.pods", {}), { steps: [{ text: "this goes on" }, { hang: true }] });
    const id = await insert(options);
    const run = await recorder.runs.begin(id);
    await recorder.runs.openRows(id, 3);
    await recorder.runs.executor.cancel(id);
    recorder.runs.stop(id, "user");
    expect(await run.end).to.equal("cancelled");
    const cassette = await exported(id);
    expect(cassette.session.status).to.equal("cancelled");
    expect(cassette.inputs.is_cancel_requested).to.equal(true);
  });

  it("says before which call an agent heard of people, alerts and memories", async () => {
    const strategy = "native-thinking";
    const { executor } = recorder.runs;
    await remember(executor, { content: "a full disk was the log of the proxy" });
    await play(callTurn(strategy, 1, "k8s.pods", {}), answerTurn(strategy));
    const id = await insertRemembering(executor, { strategy, servers: ["k8s"] });
    await steer(executor, id, "note", "look at the proxy");
    await joinAlerts(executor, id, ["another disk is full"]);
    await end(id);
    const cassette = await exported(id);
    const { steering, evidence, alerts } = cassette.inputs;
    expect(steering[0]?.deliveries.map(({ before_call }) => before_call)).to.deep.equal([0]);
    expect(evidence.map(({ before_call, through }) => [before_call, through])).to.deep.equal([[0, 2]]);
    expect(alerts).to.have.length(2);
    expect(cassette.executions[0]?.memories.map(({ content }) => content)).to.deep.equal([
      "a full disk was the log of the proxy",
    ]);
  });

  it("cannot be made of a session whose configuration cannot be read", async () => {
    await play(answerTurn("native-thinking"));
    const id = await insert({ strategy: "native-thinking" });
    await end(id);
    await changeConfig(recorder.runs.executor, id, "'{}'::jsonb");
    const refused = await recorder.text(id).catch((error: unknown) => error);
    expect(refused).to.be.an("error").with.property("message").that.includes("no cassette can be made of");
  });

  it("has no secret, no value of a variable and no code of its prompts", async () => {
    const strategy = "react";
    const [known, formed, inserted] = [
      "a-secret-of-the-api-process",
      "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
      "the-value-of-a-variable",
    ];
    const input = JSON.stringify({ [known]: inserted });
    await play(
      { when: { call: 1 }, steps: [{ text: `Thought: look\nAction: k8s.pods\nAction Input: ${input}` }] },
      { steps: [{ text: `Thought: enough\nFinal Answer: use ${known}, ${formed} or ${inserted}` }] },
    );
    const id = await insert({ strategy, servers: ["k8s"] });
    await changeConfig(recorder.runs.executor, id, `jsonb_set(config, '{variables}', '["CLUSTER"]')`);
    await end(id);
    const text = await recorder.text(id, { CLUSTER: inserted });
    for (const secret of [known, formed, inserted, "5e5510110000"]) expect(text).not.to.contain(secret);
    expect(text).to.contain("@tarsy:frame@");
    const cassette = parseCassette(text);
    expect(cassette.masked).to.include("/session/final_analysis");
    expect(cassette.session.final_analysis).to.match(
      /^use \[MASKED_\w+:[0-9a-f]{6}\], \[MASKED_\w+:[0-9a-f]{6}\] or \[MASKED_\w+:[0-9a-f]{6}\]$/u,
    );
    expect(JSON.stringify(cassette.executions[0]?.tool_calls[0]?.arguments)).to.match(
      /^\{"\[MASKED_\w+:[0-9a-f]{6}\]":"\[MASKED_\w+:[0-9a-f]{6}\]"\}$/u,
    );
  });
});
