import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { ToolDescription } from "#shared/contracts/tool-list.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import {
  selectTools,
  type ToolListing,
  type ToolServer,
  NOT_OFFERED,
  NO_RUNNER,
  STALE,
  splitRemarks,
} from "../list-tools.ts";

const RecordedList = Type.Object({
  server_name: Type.String(),
  available_tools: Type.Array(ToolDescription),
  code: Type.Union([Type.String(), Type.Null()]),
  error_message: Type.Union([Type.String(), Type.Null()]),
});
type RecordedList = Static<typeof RecordedList>;
const parseList = compileParser("recorded tool listing", RecordedList);

/** The listing of this execution for each server; if it has none, the newest of another. */
const FIND = `
SELECT DISTINCT ON (server_name) server_name, available_tools, tool_result ->> 'code' AS code, error_message
FROM recorded_tool_lists WHERE session_id = $1 AND server_name = ANY($3::text[])
ORDER BY server_name, (execution_id = $2::uuid) DESC, ordinal DESC`;

/** The code of a server of which no listing is recorded. */
const NOT_RECORDED = "not_recorded";

/**
 * The tools of these servers as they are recorded for a session with recorded tools; no tool-runner is asked. A server of which nothing is
 * recorded counts as one that does not answer. Throws database errors.
 */
export async function listFromRecord(
  { db, sessionId }: { readonly db: Queryable; readonly sessionId: string },
  { executionId, servers }: { readonly executionId: string; readonly servers: readonly ToolServer[] },
): Promise<ToolListing> {
  const ids = servers.map(({ id }) => id);
  const lists = await selectRows(db, parseList, FIND, [sessionId, executionId, ids]);
  const unanswered = lists.find(({ code }) => code === NO_RUNNER);
  if (unanswered !== undefined) return { kind: "failed", message: unanswered.error_message ?? "" };
  const missing = ids.filter((id) => !lists.some(({ server_name }) => server_name === id));
  const failures = [
    ...lists.flatMap(({ server_name: server, code, error_message }) =>
      code === null ? [] : [{ server, code, message: error_message ?? "" }],
    ),
    ...missing.map((server) => ({
      server,
      code: NOT_RECORDED,
      message: "no listing of its tools is recorded, and this session repeats recorded tool calls",
    })),
  ];
  const listed = lists.filter(({ code }) => code === null);
  const reply = {
    tools: listed.flatMap(({ available_tools }) => available_tools),
    failed: failures,
    stale: listed.filter((list) => partsOf(list).includes(STALE)).map(({ server_name }) => server_name),
    left_out: listed.flatMap((list) => {
      const message = leftOutOf(list);
      return message === "" ? [] : [{ server: list.server_name, message }];
    }),
  };
  return selectTools(reply, servers);
}

function partsOf({ error_message }: RecordedList): readonly string[] {
  return error_message === null ? [] : splitRemarks(error_message);
}

/** The remark about tools that are left out; those that were asked for and are not offered are found anew. */
function leftOutOf(list: RecordedList): string {
  return partsOf(list)
    .filter((part) => part !== STALE && !part.startsWith(NOT_OFFERED))
    .join("; ");
}
