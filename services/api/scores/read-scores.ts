import type { EntityManager } from "typeorm";
import { SessionScoreEntity } from "#shared/database/entities.ts";
import type { SessionScore } from "#shared/database/tables/session-scores.ts";

/** The scores that a session is shown with. */
export interface Scores {
  /** Whatever its state; null if the session was never scored. */
  readonly newest: SessionScore | null;
  /** The newest that completed; null before the first. */
  readonly completed: SessionScore | null;
}

/** Reads the newest scores of a session. */
export async function readScores(manager: EntityManager, session_id: string): Promise<Scores> {
  const order = { created_at: "DESC", score_id: "ASC" } as const;
  const newest = await manager.findOne(SessionScoreEntity, { where: { session_id }, order });
  const completed =
    newest === null || newest.status === "completed"
      ? newest
      : await manager.findOne(SessionScoreEntity, { where: { session_id, status: "completed" }, order });
  return { newest, completed };
}
