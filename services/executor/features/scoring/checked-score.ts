import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { FAILURE_TAGS } from "#shared/contracts/scoring.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { CONCLUSIONS } from "#shared/database/tables/conclusions.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import type { JudgedScore } from "../../core/agent-state.ts";
import type { JudgedConclusion } from "../../prompts/checked-quotes.ts";
import { judgedScore } from "./read-score.ts";

const parseConclusion = compileParser(
  "conclusion that is judged",
  Type.Object({ ...rowMembers(CONCLUSIONS, "status", "stated_status", "body", "checked") }),
);

const CONCLUSION = `
SELECT status, stated_status, body, checked FROM conclusions
WHERE session_id = $1 ORDER BY seq DESC, attempt DESC LIMIT 1`;

/** Reads the conclusion of a session; null for one whose agents stated none that could be read. Throws database errors. */
export async function loadConclusion(db: Queryable, sessionId: string): Promise<JudgedConclusion | null> {
  const [row] = await selectRows(db, parseConclusion, CONCLUSION, [sessionId]);
  if (row === undefined || row.body === null) return null;
  const { status, stated_status, body, checked } = row;
  return { status, stated_status, claims: body.claims, checked };
}

/** The score in a judge's replies, as its session's conclusion corrects it; null without one. Throws database errors. */
export async function checkedScore(
  db: Queryable,
  sessionId: string,
  replies: Parameters<typeof judgedScore>[0],
): Promise<JudgedScore | null> {
  const score = judgedScore(replies);
  return score === null ? null : withCheckedTags(score, await loadConclusion(db, sessionId));
}

/** Whether evidence was invented is known where quotes were compared: what the judge says of it counts only where that says nothing. */
export function withCheckedTags(score: JudgedScore, conclusion: JudgedConclusion | null): JudgedScore {
  const claims = (conclusion?.checked ?? []).filter(({ list }) => list === "claim");
  const isInvented = claims.some(({ outcome }) => outcome === "absent" || outcome === "other_session");
  const isShown = claims.length > 0 && claims.every(({ outcome }) => outcome === "verified");
  if (!isInvented && !isShown) return score;
  const failure_tags = FAILURE_TAGS.filter((tag) =>
    tag === "hallucinated_evidence" ? isInvented : score.failure_tags.includes(tag),
  );
  return { ...score, failure_tags };
}
