import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { alertLabels } from "#shared/alert-labels.ts";
import { alertPreview, alertStructure } from "#shared/alert-preview.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { stageText } from "#shared/contracts/stage-text.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { Parked } from "../parking/contract.ts";
import { Failing, Cancelled, SessionItem } from "./list-schemas.ts";
import { readExcerpts } from "./read-excerpts.ts";
import { SearchCondition } from "./search-condition.ts";
import {
  COST_COLUMNS,
  CostColumns,
  ITEM_COLUMNS,
  JOIN_CONCLUSION,
  STAGE_FACTS,
  StagePlace,
  StageFacts,
  selectList,
} from "./session-item-columns.ts";
import { shownStageId } from "./shown-stage-id.ts";
import { SqlParameters } from "./sql-parameters.ts";
import { costMembers } from "../views/cost.ts";

const read = (columns: Readonly<Record<string, string>>, ids: string) => `
SELECT ${selectList({ ...columns, ...COST_COLUMNS, ...STAGE_FACTS })}
FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS wanted(session_id, position)
JOIN alert_sessions s USING (session_id) JOIN session_runtime r USING (session_id)
${JOIN_CONCLUSION}
WHERE s.deleted_at IS NULL ORDER BY wanted.position`;

// They are found in the beginning of the alert.
const { labels: _labels, ...LISTED } = SessionItem.properties;

const parseRow = compileParser(
  "session item",
  Type.Object({
    ...LISTED,
    ...CostColumns.properties,
    ...StageFacts.properties,
    // The beginning of the alert, of which the preview is made.
    alert_preview: Type.String(),
    parked: Type.Union([Parked, Type.Null()]),
    failing: Type.Union([Failing, Type.Null()]),
    cancelled: Type.Union([Cancelled, Type.Null()]),
    stage_text: Type.Union([StagePlace, Type.Null()]),
  }),
);

interface ItemOptions {
  readonly search?: string | undefined;
  /** The chains, which name the labels of their rows. */
  readonly chains: AgentConfig["chains"];
  /** Without it the items have no members of their cost. */
  readonly isCostEstimated: boolean;
}

/**
 * The items of these sessions, at most some hundred, in the order of the ids; without those that are gone. It asks nothing about the
 * caller: the ids must come from a query with `visibleTo`. With `search`, `matched_in_content` says whether the timeline has it, and `excerpt` where it
 * stands. What it costs does not depend on the sessions' size.
 */
export async function readSessionItems(
  db: Queryable,
  ids: readonly string[],
  { search, isCostEstimated, chains }: ItemOptions,
): Promise<SessionItem[]> {
  if (ids.length === 0) return [];
  const parameters = new SqlParameters();
  const wanted = parameters.add(ids);
  const columns =
    search === undefined
      ? ITEM_COLUMNS
      : { ...ITEM_COLUMNS, matched_in_content: new SearchCondition(search, parameters).inTimeline() };
  const rows = await selectRows(db, parseRow, read(columns, wanted), parameters.values);
  const excerpts = search === undefined ? undefined : await readExcerpts(db, ids, search);
  return rows.map(({ has_summary, has_synthesis, parked, failing, cancelled, stage_text: place, ...row }) => {
    const structure = alertStructure(row.alert_preview);
    const excerpt = excerpts?.get(row.id);
    return {
      ...withCost(row, isCostEstimated),
      ...(parked === null ? {} : { parked }),
      ...(failing === null ? {} : { failing }),
      ...(cancelled === null ? {} : { cancelled }),
      ...(place === null ? {} : { stage_text: stageText(place) }),
      ...(excerpt === undefined ? {} : { excerpt }),
      alert_preview: alertPreview(row.alert_preview, structure),
      labels: [...alertLabels(structure, chains.get(row.chain_id)?.row_labels)],
      current_stage_id: shownStageId({ ...row, has_summary, has_synthesis }),
    };
  });
}

function withCost(
  row: Omit<SessionItem, "labels"> & Static<typeof CostColumns>,
  isCostEstimated: boolean,
): Omit<SessionItem, "current_stage_id" | "labels"> {
  const { estimated_cost_usd, priced_interaction_count, unpriced_interaction_count, ...item } = row;
  const sums = { estimated_cost_usd, priced_interaction_count, unpriced_interaction_count };
  const { unpriced_interaction_count: _count, ...shown } = costMembers(sums, isCostEstimated);
  return { ...item, ...shown };
}
