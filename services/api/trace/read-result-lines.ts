import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { toolCallId } from "#shared/contracts/tool-call.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { textLines } from "#shared/text-lines.ts";
import type { ResultLines } from "./contract.ts";

const parsePlace = compileParser(
  "place of a tool call",
  Type.Object({ execution_id: Type.String(), iteration: Type.Integer(), index: Type.Integer() }),
);
const PLACE = `
SELECT execution_id, (outcome ->> 'iteration')::int AS iteration, (outcome ->> 'index')::int AS index
FROM mcp_interactions WHERE session_id = $1 AND interaction_id = $2 AND outcome IS NOT NULL`;

const parseKept = compileParser(
  "kept tool result",
  Type.Object({ content: Type.String(), lines: Type.Integer() }),
);
const KEPT = "SELECT content, lines FROM tool_results WHERE session_id = $1 AND call_id = $2";

interface Lines {
  readonly from: number;
  readonly lines: number;
}

/** Reads lines of the whole result of a session's tool call, as agents count them; null if none is kept. Throws database errors. */
export async function readResultLines(
  db: Queryable,
  { sessionId, interactionId }: { readonly sessionId: string; readonly interactionId: string },
  { from, lines }: Lines,
): Promise<ResultLines | null> {
  const [place] = await selectRows(db, parsePlace, PLACE, [sessionId, interactionId]);
  if (place === undefined) return null;
  const [kept] = await selectRows(db, parseKept, KEPT, [sessionId, toolCallId(place.execution_id, place)]);
  if (kept === undefined) return null;
  let [number, start, end] = [0, 0, 0];
  for (const line of textLines(kept.content)) {
    number += 1;
    if (number >= from + lines) break;
    end = line.end;
    if (number <= from) start = number === from ? line.start : line.end;
  }
  return { from, total: kept.lines, text: kept.content.slice(start, end) };
}
