import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { ToolDescription } from "#shared/contracts/tool-list.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { JudgedInvestigation } from "../../prompts/build-judge-messages.ts";
import { loadInvestigation } from "../chat/feature.ts";
import type { StageState } from "../../state/session-state.ts";

const parseOffer = compileParser(
  "tools that an agent had",
  Type.Object({
    agent: Type.String(),
    tools: Type.Array(Type.Pick(ToolDescription, ["name", "description"])),
  }),
);

/** The listings of each agent of the chain, as one list. */
const OFFERS = `
SELECT e.agent_name AS agent,
       jsonb_agg(jsonb_build_object('name', tool ->> 'name', 'description', tool ->> 'description')
                 ORDER BY i.server_name, tool ->> 'name') AS tools
FROM stages g JOIN agent_executions e USING (session_id, stage_id)
  LEFT JOIN agent_executions p ON p.execution_id = e.parent_execution_id
  JOIN mcp_interactions i ON i.execution_id = e.execution_id AND i.interaction_type = 'tool_list',
  LATERAL jsonb_array_elements(coalesce(i.available_tools, '[]')) AS tool
WHERE g.session_id = $1 AND g.stage_type IN ('investigation', 'action')
GROUP BY g.stage_index, p.agent_index, e.agent_index, e.execution_id
ORDER BY g.stage_index, coalesce(p.agent_index, e.agent_index), p.agent_index IS NOT NULL, e.agent_index`;

const parseSummary = compileParser(
  "executive summary",
  Type.Object({ executive_summary: Type.Union([Type.String(), Type.Null()]) }),
);

/**
 * Reads a judge's input about the session that `stage` follows: its history as for a question in its chat, in at most so many
 * bytes, and the tools that its agents had. Throws as `loadInvestigation`.
 */
export async function loadJudged(
  db: Queryable,
  stage: Pick<StageState, "session_id" | "stage_index">,
  maxBytes: number,
): Promise<JudgedInvestigation> {
  const { stages, omitted } = await loadInvestigation(db, stage, { maxBytes, withChat: false });
  const offers = await selectRows(db, parseOffer, OFFERS, [stage.session_id]);
  const [session] = await selectRows(
    db,
    parseSummary,
    "SELECT executive_summary FROM alert_sessions WHERE session_id = $1",
    [stage.session_id],
  );
  return { stages, omitted, offers, executiveSummary: session?.executive_summary ?? null };
}
