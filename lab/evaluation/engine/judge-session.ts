import { randomUUID } from "node:crypto";
import type { ResolvedAgent, ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { scoreIdOf, scoringChain } from "#shared/contracts/scoring.ts";
import type { Database } from "#shared/database/database.ts";
import { insertFollowUp } from "#shared/database/insert-follow-up.ts";

const INSERT = `
INSERT INTO session_scores (score_id, session_id, stage_id, follow_up_id, score_triggered_by)
VALUES ($1, $2, $3, $4, 'evaluation')`;

/** Asks a judge about a session that has ended, as a person does by hand; an executor has to run it. Throws database errors. */
export async function judgeSession(
  db: Database,
  sessionId: string,
  { chain, judge }: { readonly chain: ResolvedChain; readonly judge: ResolvedAgent },
): Promise<void> {
  const followUpId = randomUUID();
  const scoreId = scoreIdOf(followUpId);
  await db.transaction(async (transaction) => {
    const followUp = await insertFollowUp(transaction, {
      sessionId,
      followUpId,
      kind: "score",
      stageType: "scoring",
      chain: scoringChain(chain, judge),
      askedBy: "evaluation",
      eventsBefore: [
        {
          type: "session.score_updated",
          session_id: sessionId,
          score_id: scoreId,
          scoring_status: "pending",
        },
      ],
    });
    if (followUp === "busy") throw new Error(`session ${sessionId} is being scored already`);
    await transaction.query(INSERT, [scoreId, sessionId, followUp.stageId, followUpId]);
  });
}
