import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Database } from "#shared/database/database.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { ApiMetrics } from "../api-metrics.ts";

const parseClosed = compileParser(
  "closed rows",
  Type.Object({ table_name: Type.String(), closed: Type.Integer() }),
);
const CLOSE = "SELECT table_name, closed FROM tarsy_close_open_rows($1)";

/**
 * Closes the rows that were left open behind the end of their session, of those that ended within `hours`: a tool call whose
 * runner died as one of unknown outcome. Counts and logs them: each is a fault that nothing else has noticed.
 */
export async function closeOpenRows(
  {
    db,
    log,
    metrics,
  }: {
    readonly db: Database;
    readonly log: Logger;
    readonly metrics: Pick<ApiMetrics, "openRowsClosed">;
  },
  hours: number,
): Promise<void> {
  for (const { table_name: table, closed } of await selectRows(db, parseClosed, CLOSE, [hours])) {
    if (closed === 0) continue;
    metrics.openRowsClosed.inc({ table }, closed);
    log.warn({ table, rows: closed }, "rows left open behind the end of their session were closed");
  }
}
