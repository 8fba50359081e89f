import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { expectEach } from "../harness/expect-each.ts";
import { expectEqualRows, type SessionRows } from "../harness/expect-equal-rows.ts";
import type { FaultLab } from "../harness/fault-lab.ts";
import { killDuringWork } from "../harness/kill-during-work.ts";
import type { KilledWork } from "../harness/killed-work.ts";
import type { ModelAnswer, ModelCall } from "../harness/model-server.ts";
import type { Scenario } from "../harness/scenario.ts";

const SCORE = 72;
const SCORES = `
SELECT coalesce(string_agg(concat_ws(' ', c.status, total_score, score_analysis, tool_improvement_report, f.status), '; '
                           ORDER BY c.created_at), '') AS text
FROM session_scores c JOIN follow_ups f USING (follow_up_id) WHERE c.session_id = $1`;
const parseScores = compileParser("scores", Type.Object({ text: Type.String() }));

const ANALYSIS = "The cause is named.";
const REPORT = "A list of limits is missing.";
const COMPLETED = `completed ${SCORE} ${ANALYSIS} ${REPORT} completed`;

/** Sessions that are scored at their end by a judge that forgets the number at first. */
export function scoringWork(): KilledWork {
  let reference: SessionRows | undefined;
  return {
    name: "scoring",
    writes: 26,
    answer,
    begin: async (lab) => lab.alerts.submit({ type: "scored", turns: 1, paceMs: 50 }),
    check: async (context, lab, sessions) => {
      reference = await expectEqualRows(context, lab, { name: "scoring", sessions, reference });
      await expectEach(context, "each session has one score", sessions, async ({ sessionId }) => {
        const found = await readScores(lab, sessionId);
        return found === COMPLETED ? undefined : found;
      });
      await expectEach(context, "a session can be scored again", sessions, async ({ sessionId }) => {
        const path = `/api/v1/sessions/${sessionId}/score`;
        const { status } = await lab.client.request("POST", path, {});
        return status === 202 ? undefined : String(status);
      });
      await lab.untilAllTerminal();
      await expectEach(
        context,
        "the second score is stored beside the first",
        sessions,
        async ({ sessionId }) => {
          const found = await readScores(lab, sessionId);
          return found === `${COMPLETED}; ${COMPLETED}` ? undefined : found;
        },
      );
    },
  };
}

export const scoringKill: Scenario = killDuringWork(
  "scoring-kill",
  "an executor dies at each write of a session and of its automatic score",
  () => [scoringWork()],
);

function answer({ agent, number }: ModelCall): ModelAnswer | undefined {
  if (!agent.startsWith("agent-41")) return undefined;
  const text = [ANALYSIS, `TAGS: none\n${SCORE}`, REPORT][number - 1] ?? "";
  return { text, pieces: 2, pauseMs: 25 };
}

async function readScores(lab: FaultLab, sessionId: string): Promise<string> {
  return parseScores((await lab.servers.query(SCORES, [sessionId]))[0]).text;
}
