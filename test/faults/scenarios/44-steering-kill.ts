import { randomUUID } from "node:crypto";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { until } from "../../support/until.ts";
import { expectEach } from "../harness/expect-each.ts";
import type { FaultLab } from "../harness/fault-lab.ts";
import { killDuringWork } from "../harness/kill-during-work.ts";
import type { KilledWork } from "../harness/killed-work.ts";
import type { ModelCall } from "../harness/model-server.ts";
import type { Scenario } from "../harness/scenario.ts";

/** What of a note the rows have: messages to the model, entries of the timeline, records that it was read. */
const TRACES = `
SELECT (SELECT status::text FROM alert_sessions WHERE session_id = $1) AS session,
       (SELECT count(*)::int FROM messages WHERE session_id = $1 AND role = 'user' AND content LIKE '%note-case-%') AS messages,
       (SELECT count(*)::int FROM timeline_events WHERE session_id = $1 AND event_type = 'user_question') AS entries,
       (SELECT count(*)::int FROM steering_deliveries WHERE session_id = $1) AS deliveries`;
const parseTraces = compileParser(
  "traces of a note",
  Type.Object({
    session: Type.String(),
    messages: Type.Integer(),
    entries: Type.Integer(),
    deliveries: Type.Integer(),
  }),
);

const parsePosted = compileParser(
  "answer to a note",
  Type.Object({
    /** Whom it is for; none if no agent is open: then it is for those that start next. */
    execution_ids: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
  }),
);

/** Sessions whose agent is told something: every second one before it starts, the others while its executor dies. */
export function steeringWork(): KilledWork {
  /** The sessions with a note that an agent has to read: one that is open, or those of the first stage. */
  const told = new Set<string>();
  return {
    name: "steering",
    writes: 20,
    answer: () => undefined,
    begin: async (lab, { index }) => {
      const id = await lab.alerts.submit({ turns: 2, paceMs: 100 });
      if (isEarly(index)) {
        await postNote(lab, id);
        told.add(id);
      }
      return id;
    },
    atKill: async (lab, { sessionId, index }) => {
      if (!isEarly(index) && (await postNote(lab, sessionId)) > 0) told.add(sessionId);
    },
    check: async (context, lab, sessions) => {
      const reading = sessions.filter(({ sessionId }) => told.has(sessionId));
      context.figure("steering: notes that an agent had to read", reading.length, `of ${sessions.length}`);
      await expectEach(
        context,
        "a session that was told something completes",
        sessions,
        async ({ sessionId }) => {
          const { session } = await readTraces(lab, sessionId);
          return session === "completed" ? undefined : session;
        },
      );
      await expectEach(context, "a note is read exactly once", reading, async ({ sessionId }) => {
        const { messages, entries, deliveries } = await readTraces(lab, sessionId);
        const isOnce = messages === 1 && entries === 1 && deliveries === 1;
        return isOnce ? undefined : `${messages} messages, ${entries} entries, ${deliveries} deliveries`;
      });
      await expectEach(context, "a note is new in one call of the model, once", reading, ({ sessionId }) => {
        const caseId = lab.alerts.acked.get(sessionId);
        return Promise.resolve(
          problemOf(lab.model.calls.filter((call) => call.caseId === caseId && call.agent === "")),
        );
      });
    },
  };
}

export const steeringKill: Scenario = killDuringWork(
  "steering-kill",
  "an executor dies at each write of a session whose agent is told something before or meanwhile",
  () => [steeringWork()],
);

function isEarly(index: number): boolean {
  return index % 4 < 2;
}

/** Posts a note until it is answered; resolves with the number of open agents that it is for. */
async function postNote(lab: FaultLab, sessionId: string): Promise<number> {
  const content = `note-${lab.alerts.acked.get(sessionId)}`;
  const key = randomUUID();
  // The row can be locked until Postgres learns that the executor is dead.
  const response = await until("the note is answered", async () => {
    const answered = await fetch(`${lab.system.api}/api/v1/sessions/${sessionId}/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify({ mode: "note", content }),
    });
    return answered.status < 500 && answered;
  });
  const body: unknown = await response.json();
  if (response.status === 409) return 0; // the session has ended
  if (response.status !== 202) {
    throw new Error(`a note is answered with ${response.status}: ${JSON.stringify(body)}`);
  }
  return parsePosted(body).execution_ids?.length ?? 0;
}

async function readTraces(lab: FaultLab, sessionId: string) {
  return parseTraces((await lab.servers.query(TRACES, [sessionId]))[0]);
}

/** Each call after the first with the note has it once; the first one may have been repeated under its number. */
function problemOf(calls: readonly ModelCall[]): string | undefined {
  const first = calls.find(({ notes }) => notes > 0)?.number;
  if (first === undefined) return "in no call";
  const wrong = calls.find(({ number, notes }) => notes > 1 || (notes === 0 && number > first));
  return wrong === undefined
    ? undefined
    : `${wrong.notes} times in call ${wrong.number}, first in call ${first}`;
}
