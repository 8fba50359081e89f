import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { decide } from "../decide.ts";
import { joinAlerts } from "../join-alerts.ts";
import { answerTurn, callStep, callTurn, type Strategy } from "../scripted-turns.ts";
import { steer } from "../steer.ts";
import type { Feature, FeatureLab } from "./feature.ts";

const NOTE = "the deployment was rolled back";
const LATER = "disk full on db-8, too";
const SECRET = "Kx7qT9vB2mZ4wR8p";
const STRATEGIES: readonly Strategy[] = ["react", "native-thinking"];

const parseText = compileParser("one text", Type.Object({ text: Type.String() }));
const parseAtDeath = compileParser(
  "the moment of a death",
  Type.Object({ isOver: Type.Boolean(), isAnswered: Type.Boolean(), called: Type.Integer() }),
);

/** A session whose agent asks for calls that a person must agree to, one after the other. */
const approved = (name: string, decisions: readonly ("approved" | "denied")[]): Feature => ({
  name,
  toolCalls: decisions.filter((decision) => decision === "approved").length,
  start: async ({ runs }) => {
    const calls = decisions.map((_, n) => callStep("native-thinking", "k8s.remove", { n }));
    await runs.play({ when: { call: 1 }, steps: calls }, answerTurn("native-thinking"));
    return runs.executor.insert({ strategy: "native-thinking", servers: ["k8s"] });
  },
  // The last question first; the calls are made in their order.
  answer: async ({ runs }, id) => {
    const [open] = await runs.executor.query(
      "SELECT arguments AS text FROM approvals WHERE session_id = $1 AND state = 'awaiting_approval' ORDER BY arguments DESC LIMIT 1",
      [id],
    );
    const { text } = parseText(open);
    const decision = decisions[Number(/\d/u.exec(text)?.[0])];
    if (decision !== undefined) await decide(runs.executor, id, decision, null, text);
  },
});

/** An agent that calls two tools, unless it reads the text, upon which it answers. */
const startTold = async ({ runs }: FeatureLab, strategy: Strategy, text: string) => {
  await runs.play(
    { when: { contains: text }, ...answerTurn(strategy, "so it was that") },
    callTurn(strategy, 1, "k8s.pods", {}),
    callTurn(strategy, 2, "k8s.restart", {}),
    answerTurn(strategy),
  );
  return runs.executor.insert({ strategy, servers: ["k8s"] });
};

const AT_DEATH = `
SELECT NOT EXISTS (SELECT FROM agent_executions WHERE session_id = $1 AND status IN ('pending', 'active')) AS "isOver",
  coalesce((SELECT role = 'assistant' FROM messages WHERE session_id = $1 ORDER BY sequence_number DESC LIMIT 1), false) AS "isAnswered"`;

const atDeath = async ({ runs, tools }: FeatureLab, id: string) => {
  const [found] = await runs.executor.query(AT_DEATH, [id]);
  return parseAtDeath({ ...Object(found), called: await tools.calls() });
};

/** What of the text the rows have: messages to the model, entries of the timeline, and deliveries. */
const traces = async ({ runs }: FeatureLab, id: string, frame: string, deliveries: string) => {
  const [found] = await runs.executor.query(
    `SELECT concat_ws(' ',
       (SELECT count(*) FROM messages WHERE session_id = $1 AND role = 'user' AND content LIKE '%${frame}%'),
       (SELECT count(*) FROM timeline_events WHERE session_id = $1 AND event_type = 'user_question'),
       (SELECT count(*) FROM ${deliveries} WHERE session_id = $1)) AS text`,
    [id],
  );
  return parseText(found).text;
};

const expectAnswer = async ({ runs }: FeatureLab, id: string) => {
  const found = await runs.executor.row("alert_sessions", "final_analysis AS text", id);
  expect(found).to.deep.equal({ text: "so it was that" });
};

/** A note that is posted after the owner's death is read exactly once. */
const noted = (strategy: Strategy): Feature => ({
  name: `a note that is posted when its executor is dead (${strategy})`,
  start: async (lab) => startTold(lab, strategy, NOTE),
  afterDeath: async (lab, id) => {
    const moment = await atDeath(lab, id);
    if (!moment.isOver) await steer(lab.runs.executor, id, "note", NOTE);
    return moment;
  },
  expects: async (lab, id, moment) => {
    const { isOver, called } = parseAtDeath(moment);
    if (isOver) return;
    expect(await traces(lab, id, "OPERATOR_NOTE_START", "steering_deliveries")).to.equal("1 1 1");
    await expectAnswer(lab, id);
    // The calls of the answer that was there, at most.
    expect(await lab.tools.calls()).to.be.at.most(called + 1);
  },
});

/** Alerts that join after the owner's death are delivered exactly once, or not to an agent that has answered. */
const joined = (strategy: Strategy): Feature => ({
  name: `an alert that joins when its executor is dead (${strategy})`,
  start: async (lab) => startTold(lab, strategy, LATER),
  afterDeath: async (lab, id) => {
    const moment = await atDeath(lab, id);
    await joinAlerts(lab.runs.executor, id, [LATER]);
    return moment;
  },
  expects: async (lab, id, moment) => {
    const { isOver, isAnswered } = parseAtDeath(moment);
    const trace = await traces(lab, id, "ALERT_EVIDENCE_START", "evidence_deliveries");
    if (trace === "0 0 0") expect(isOver || isAnswered).to.equal(true);
    else {
      expect(trace).to.equal("1 1 1");
      await expectAnswer(lab, id);
    }
  },
});

/** A note that is there before the session starts, so that its rows do not depend on the moment of a kill. */
const notedBefore: Feature = {
  name: "a note that was posted before the start",
  toolCalls: 0,
  start: async (lab) => {
    const id = await startTold(lab, "native-thinking", NOTE);
    await steer(lab.runs.executor, id, "note", NOTE);
    return id;
  },
};

/** A secret argument reaches the tool, or is asked for again: only the process that got the model's answer has it. */
const secret = (strategy: Strategy): Feature => ({
  name: `a secret in the arguments of a call (${strategy})`,
  start: async ({ runs }) => {
    const input = { password: SECRET, pod: "checkout" };
    await runs.play(callTurn(strategy, 1, "k8s.restart", input), answerTurn(strategy));
    return runs.executor.insert({ strategy, servers: ["k8s"] });
  },
  expects: async ({ runs, tools }, id) => {
    const rows = await runs.executor.query("SELECT content, tool_calls FROM messages WHERE session_id = $1", [
      id,
    ]);
    const isAskedAgain = JSON.stringify(rows).includes("Ask for the call again");
    const calls = await runs.executor.query(
      "SELECT 1 FROM tool_calls WHERE session_id = $1 AND state = 'completed'",
      [id],
    );
    expect(calls.length, "calls that were made").to.equal(isAskedAgain ? 0 : 1);
    if (!isAskedAgain) expect((await tools.arguments()).at(-1)).to.include(SECRET);
    const stored = await runs.executor.query(
      `SELECT 1 FROM messages m FULL JOIN tool_calls c USING (session_id) FULL JOIN events e USING (session_id)
       WHERE session_id = $1 AND concat(m, c, e) LIKE '%${SECRET}%'`,
      [id],
    );
    expect(stored).to.deep.equal([]);
  },
});

/** What people and other alerts add to a session. */
export const PEOPLE_FEATURES: readonly Feature[] = [
  approved("an approval", ["approved"]),
  approved("a denial", ["denied"]),
  approved("two approvals of one answer", ["approved", "approved"]),
  notedBefore,
  ...STRATEGIES.map((strategy) => noted(strategy)),
  ...STRATEGIES.map((strategy) => joined(strategy)),
  ...STRATEGIES.map((strategy) => secret(strategy)),
];
