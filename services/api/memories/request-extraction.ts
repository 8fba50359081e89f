import { resolveMemory } from "#shared/agent-config/resolve-chain.ts";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { parseResolvedChain, type ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { scoringChain } from "#shared/contracts/scoring.ts";
import { insertFollowUp, type InsertedFollowUp } from "#shared/database/insert-follow-up.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { configOf } from "#shared/database/resolved-configs.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { uuidFrom } from "#shared/uuid-from.ts";
import { IS_IMPORTED } from "../sessions/imported-session.ts";
import { judgeOf } from "../scores/judge-of.ts";

const parseSession = compileParser(
  "session to learn from",
  Type.Object({ config: Type.Unknown(), is_known: Type.Boolean() }),
);
const READ = `
SELECT ${configOf("s")} AS config, EXISTS (SELECT FROM follow_ups WHERE follow_up_id = $2) OR ${IS_IMPORTED} AS is_known
FROM alert_sessions s WHERE session_id = $1`;

/** The sweeper takes it once the one before has ended (`learn-from-waiting.ts`). */
const KEEP = `
INSERT INTO waiting_feedback (follow_up_id, session_id, feedback, asked_by) VALUES ($1, $2, $3, $4)
ON CONFLICT (follow_up_id) DO NOTHING`;

interface Feedback {
  readonly agents: AgentConfig;
  readonly askedBy: string;
  /** Masked. */
  readonly feedback: string;
}

/**
 * Inserts the work that learns from the feedback about an ended session, in the running transaction that holds the session's lock. The same
 * text is learned from once, and one at a time. Null where nothing is inserted: for a text that was given before, for one that waits
 * because a former one is worked on, of an imported session, and if no model is configured. Throws database errors.
 */
export async function requestExtraction(
  transaction: Queryable,
  sessionId: string,
  { agents, askedBy, feedback }: Feedback,
): Promise<InsertedFollowUp | null> {
  const followUpId = uuidFrom(`feedback:${feedback}`, sessionId);
  const [session] = await selectRows(transaction, parseSession, READ, [sessionId, followUpId]);
  if (session === undefined || session.is_known) return null;
  const chain = extractionChain(agents, parseResolvedChain(session.config));
  if (chain === null) return null;
  const inserted = await insertFollowUp(transaction, {
    sessionId,
    followUpId,
    kind: "feedback",
    stageType: "scoring",
    chain,
    askedBy,
    firstEntry: { event_type: "user_question", content: feedback, metadata: { author: askedBy } },
  });
  if (inserted !== "busy") return inserted;
  await transaction.query(KEEP, [followUpId, sessionId, feedback, askedBy]);
  return null;
}

/** The agent that learns, as it is named in the session. */
const AGENT = "MemoryExtraction";

/** The session's chain with the model that judges investigations today; null if none is configured. */
export function extractionChain(agents: AgentConfig, stored: ResolvedChain): ResolvedChain | null {
  const judge = judgeOf(agents, stored);
  if (typeof judge === "string") return null;
  return scoringChain(
    { ...stored, memory: resolveMemory(agents) },
    { ...judge, name: AGENT, iteration_strategy: "memory-extraction", custom_instructions: "" },
  );
}
