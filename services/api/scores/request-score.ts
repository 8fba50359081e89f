import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { parseResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { scoreIdOf, scoringChain } from "#shared/contracts/scoring.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import type { FoundSession } from "#shared/database/find-session.ts";
import { insertFollowUp, type InsertedFollowUp } from "#shared/database/insert-follow-up.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { configOf } from "#shared/database/resolved-configs.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { randomUUID } from "node:crypto";
import { RequestError } from "../http/request-error.ts";
import { refuseImported } from "../sessions/imported-session.ts";
import { judgeOf } from "./judge-of.ts";

const parseChain = compileParser(
  "chain of a session",
  Type.Object({ chain_id: Type.String(), config: Type.Unknown() }),
);

const INSERT = `
INSERT INTO session_scores (score_id, session_id, stage_id, follow_up_id, score_triggered_by)
VALUES ($1, $2, $3, $4, $5)`;

/** A scoring that is committed with the transaction. */
interface RequestedScore {
  readonly scoreId: string;
  readonly followUp: InsertedFollowUp;
}

/**
 * Inserts a scoring of a locked session in the running transaction, with the judge that is configured now. Throws RequestError
 * 409 for a session that has not ended, was imported or is being scored, and 400 if no judge is configured for its chain.
 */
export async function requestScore(
  transaction: Queryable,
  { session_id: sessionId, status }: FoundSession,
  { agents, askedBy }: { readonly agents: AgentConfig; readonly askedBy: string },
): Promise<RequestedScore> {
  if (!isTerminal(status)) throw new RequestError(409, "session is not in a terminal state");
  await refuseImported(transaction, sessionId);
  const [session] = await selectRows(
    transaction,
    parseChain,
    `SELECT chain_id, ${configOf("s")} AS config FROM alert_sessions s WHERE session_id = $1`,
    [sessionId],
  );
  const stored = parseResolvedChain(session?.config);
  const judge = judgeOf(agents, stored);
  if (typeof judge === "string") throw new RequestError(400, judge);
  const followUpId = randomUUID();
  const scoreId = scoreIdOf(followUpId);
  const followUp = await insertFollowUp(transaction, {
    sessionId,
    followUpId,
    kind: "score",
    stageType: "scoring",
    chain: scoringChain(stored, judge),
    askedBy,
    eventsBefore: [
      { type: "session.score_updated", session_id: sessionId, score_id: scoreId, scoring_status: "pending" },
    ],
  });
  if (followUp === "busy") throw new RequestError(409, "scoring already in progress for this session");
  await transaction.query(INSERT, [scoreId, sessionId, followUp.stageId, followUpId, askedBy]);
  return { scoreId, followUp };
}
