import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { isCommit } from "../../support/postgres-tap.ts";
import type { RunningService } from "../../support/tarsy-system.ts";
import { until } from "../../support/until.ts";
import { expectEach } from "../harness/expect-each.ts";
import { expectEqualRows, type SessionRows } from "../harness/expect-equal-rows.ts";
import type { FaultLab } from "../harness/fault-lab.ts";
import { killDuringWork } from "../harness/kill-during-work.ts";
import type { KilledWork } from "../harness/killed-work.ts";
import type { ModelAnswer, ModelCall } from "../harness/model-server.ts";
import type { Scenario } from "../harness/scenario.ts";

/** The whole row of a session, which no question about it changes. */
const SESSION = "SELECT to_jsonb(s)::text AS text FROM alert_sessions s WHERE session_id = $1";
const parseSession = compileParser("session", Type.Object({ text: Type.String() }));

const ANSWERS = `
SELECT (SELECT count(*)::int FROM chat_user_messages JOIN chats USING (chat_id) WHERE session_id = $1) AS questions,
       count(*) FILTER (WHERE f.status = 'completed' AND g.status = 'completed')::int AS answered,
       count(*) FILTER (WHERE f.status <> 'completed' OR g.status <> 'completed')::int AS others
FROM follow_ups f JOIN stages g USING (stage_id) WHERE f.session_id = $1`;
const parseAnswers = compileParser(
  "answers",
  Type.Object({ questions: Type.Integer(), answered: Type.Integer(), others: Type.Integer() }),
);

/** Questions about sessions that have ended. Each answer calls a tool and is streamed. */
export function chatWork(): KilledWork {
  const before = new Map<string, string>();
  let reference: SessionRows | undefined;
  let victim: RunningService | undefined;
  return {
    name: "chat",
    writes: 15,
    watchApi: {
      answered: (sql, transaction) => {
        const isQuestion = transaction.some((text) => text.includes("INSERT INTO follow_ups"));
        if (victim === undefined || !isCommit(sql) || !isQuestion) return "forward";
        victim.process.kill("SIGKILL");
        victim = undefined;
        return "hold";
      },
    },
    answer,
    prepare: async (lab) => {
      const id = await endedSession(lab);
      before.set(id, await readSession(lab, id));
      return id;
    },
    begin: async (lab, { prepared = "" }) => {
      const status = await ask(lab, prepared, 1);
      if (status !== 202) throw new Error(`a question is answered with ${status}`);
      return prepared;
    },
    meanwhile: async ({ expect }, lab) => {
      const id = await endedSession(lab);
      victim = lab.system.find("api");
      const status = await ask(lab, id, 1).catch(() => "none");
      expect("the api dies between a question and its wake-up", status === "none", String(status));
      await lab.system.stop("api", "SIGKILL");
      await lab.startService("api");
      const isAnswered = async () => (await readAnswers(lab, id)).answered > 0;
      const wasAnswered = await until("it is answered", isAnswered, 30_000).catch(() => false);
      const found = await readAnswers(lab, id);
      const isOnce = wasAnswered && found.questions === 1 && found.answered === 1 && found.others === 0;
      expect("a question without a wake-up is answered once", isOnce, JSON.stringify(found));
      if (!wasAnswered) throw new Error("a question without a wake-up is not answered");
    },
    check: async (context, lab, sessions) => {
      reference = await expectEqualRows(context, lab, { name: "chat", sessions, reference });
      await expectEach(context, "the next question is accepted", sessions, async ({ sessionId }) => {
        const status = await ask(lab, sessionId, 2);
        return status === 202 ? undefined : String(status);
      });
      await lab.untilAllTerminal();
      await expectEach(context, "both questions are answered", sessions, async ({ sessionId }) => {
        const found = await readAnswers(lab, sessionId);
        const isRight = found.questions === 2 && found.answered === 2 && found.others === 0;
        return isRight ? undefined : JSON.stringify(found);
      });
      await expectEach(context, "no question changes the session's row", sessions, async ({ sessionId }) => {
        const now = await readSession(lab, sessionId);
        return now === before.get(sessionId) ? undefined : `${now} was ${before.get(sessionId)}`;
      });
    },
  };
}

export const chatKill: Scenario = killDuringWork(
  "chat-kill",
  "an executor dies at each write of an answer to a question, and the api between a question and its wake-up",
  () => [chatWork()],
);

function answer({ agent, number, caseId }: ModelCall): ModelAnswer | undefined {
  if (!agent.startsWith("agent-21")) return undefined;
  const thinking = `answer ${number}`;
  if (number === 1) return { thinking, tool: { name: "act", args: { case: caseId, agent } } };
  return { thinking, text: "It is as it was before: the limit is too low.", pieces: 4, pauseMs: 50 };
}

async function endedSession(lab: FaultLab): Promise<string> {
  const id = await lab.alerts.submit({ type: "asked", turns: 0, paceMs: 0 });
  const { status } = await lab.client.waitFor(id, ["completed", "failed", "timed_out"]);
  if (status !== "completed") throw new Error(`the session to ask about is ${status}`);
  return id;
}

/** Asks about a session; resolves with the status of the answer. */
async function ask(lab: FaultLab, sessionId: string, number: number): Promise<number> {
  const path = `/api/v1/sessions/${sessionId}/chat/messages`;
  const content = `This is question-${number}: how are things now?`;
  return (await lab.client.request("POST", path, { content })).status;
}

async function readSession(lab: FaultLab, sessionId: string): Promise<string> {
  return parseSession((await lab.servers.query(SESSION, [sessionId]))[0]).text;
}

async function readAnswers(lab: FaultLab, sessionId: string) {
  return parseAnswers((await lab.servers.query(ANSWERS, [sessionId]))[0]);
}
