import { Type } from "#shared/generated/typebox/typebox.mjs";
import { RecordedAlert, RecordedSteering } from "#shared/cassette/cassette.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { OPERATOR_OPENINGS } from "#shared/contracts/prompt-marks.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { isoText } from "#shared/database/iso-text.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";

const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const IntegerOrNull = Type.Union([Type.Integer(), Type.Null()]);

const Delivery = Type.Object({
  execution_id: Uuid,
  message: IntegerOrNull,
  /** How many of its LLM calls were recorded before. */
  calls_before: Type.Integer(),
});

/** Deliveries and calls are distinguished by the time of their transactions, which no two of an execution share. */
const callsBefore = (at: string) => `
  (SELECT count(*)::int FROM llm_interactions l WHERE l.execution_id = d.execution_id AND l.created_at <= ${at})`;

const parseSteering = compileParser(
  "steering message",
  Type.Object({
    ...RecordedSteering.properties,
    deliveries: Type.Array(Delivery),
  }),
);
/** The transaction may have others: the agent's first one, a tool's result of ReAct, alerts, results of sub-agents. */
const TELLS_OF_STEERING = Object.values(OPERATOR_OPENINGS)
  .map((opening) => `starts_with(g.content, '${opening}')`)
  .join(" OR ");
const STEERING = `
SELECT message_id, ordinal, mode, content, author, is_from_alert, execution_id, targets, after_stage, after_agent, calls,
  (SELECT coalesce(json_agg(x), '[]') FROM (
     SELECT d.execution_id, ${callsBefore("d.delivered_at")} AS calls_before,
       (SELECT min(g.sequence_number) FROM messages g
        WHERE g.execution_id = d.execution_id AND g.created_at = d.delivered_at AND g.role = 'user'
          AND m.mode <> 'skip_tool' AND (${TELLS_OF_STEERING})) AS message
     FROM steering_deliveries d WHERE d.message_id = m.message_id ORDER BY d.delivered_at) x) AS deliveries
FROM steering_messages m WHERE session_id = $1 ORDER BY ordinal`;

const parseAlert = compileParser("alert of an incident", RecordedAlert);
const ALERTS = `
SELECT alert_id, ordinal, is_resolved, effect, data, ${isoText("received_at")} AS received_at
FROM group_alerts WHERE session_id = $1 ORDER BY ordinal`;

const parseEvidence = compileParser(
  "delivery of evidence",
  Type.Object({
    ...Delivery.properties,
    through: Type.Integer(),
    alerts: Type.Integer(),
    characters: Type.Integer(),
  }),
);
const EVIDENCE = `
SELECT d.execution_id, d.sequence_number AS message, ${callsBefore("d.delivered_at")} AS calls_before, through, alerts, characters
FROM evidence_deliveries d WHERE session_id = $1 ORDER BY delivered_at, execution_id`;

const parseMemory = compileParser(
  "injected memory",
  Type.Object({
    execution_id: Uuid,
    memory_id: Uuid,
    content: TextOrNull,
    category: TextOrNull,
    valence: TextOrNull,
    confidence: Type.Union([Type.Number(), Type.Null()]),
    alert_type: TextOrNull,
  }),
);
/** A memory that was deleted since has its id alone. */
const MEMORIES = `
SELECT s.execution_id, s.memory_id, content, category, valence, confidence, alert_type
FROM session_memories s LEFT JOIN investigation_memories USING (memory_id) WHERE s.session_id = $1 ORDER BY execution_id, position`;

const parseQuestion = compileParser(
  "question of a chat",
  Type.Object({ stage_id: Uuid, content: Type.String(), author: Type.String() }),
);
const QUESTIONS = `
SELECT g.stage_id, m.content, m.author FROM stages g JOIN chat_user_messages m ON m.message_id = g.chat_user_message_id
WHERE g.session_id = $1`;

const parseText = compileParser("stored text", Type.Object({ hash: Type.String(), body: Type.String() }));
const TEXTS = `
SELECT hash, body FROM texts WHERE hash IN (SELECT hash FROM needed_texts WHERE session_id = $1)
   OR hash IN (SELECT hash FROM session_runbooks WHERE session_id = $1)`;

const parseFormer = compileParser("analysis before", Type.Object({ former_analysis: Type.String() }));
/** As an agent reads it (`alert-of-session.ts` of the executor). */
const FORMER = `
SELECT left(coalesce(f.final_analysis, ''), 20000) AS former_analysis
FROM alert_sessions s JOIN alert_sessions f ON f.session_id = s.reopened_from AND f.deleted_at IS NULL WHERE s.session_id = $1`;

/** What reached a session from outside while it ran, and what its prompts have of other rows. */
export type CassetteInputs = Awaited<ReturnType<typeof loadInputs>>;

/** Reads it. Throws database errors. */
export async function loadInputs(db: Queryable, sessionId: string) {
  return {
    steering: await selectRows(db, parseSteering, STEERING, [sessionId]),
    alerts: await selectRows(db, parseAlert, ALERTS, [sessionId]),
    evidence: await selectRows(db, parseEvidence, EVIDENCE, [sessionId]),
    memories: await selectRows(db, parseMemory, MEMORIES, [sessionId]),
    questions: await selectRows(db, parseQuestion, QUESTIONS, [sessionId]),
    texts: await selectRows(db, parseText, TEXTS, [sessionId]),
    formerAnalysis: (await selectRows(db, parseFormer, FORMER, [sessionId]))[0]?.former_analysis ?? null,
  };
}
