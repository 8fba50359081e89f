import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { McpServerState, StoredTool } from "#shared/contracts/mcp-server-state.ts";
import type { Database } from "#shared/database/database.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { postgresSafeJson } from "#shared/postgres-safe-json.ts";

/** The stored state of a server; times in RFC 3339. */
export interface StateRow {
  readonly server: string;
  readonly state: McpServerState;
  readonly era: string | null;
  readonly version: string | null;
  readonly tools: readonly StoredTool[];
  readonly error_code: string | null;
  readonly error: string | null;
  readonly last_check_at: string | null;
  readonly last_error_at: string | null;
}

const WRITE = `
WITH written AS (
  INSERT INTO mcp_server_states AS kept (server, runner, host, state, era, version, tools, error_code, error,
                                         last_check_at, last_error_at)
  SELECT server, $1::uuid, $2, state, era, version, tools, error_code, error, last_check_at, last_error_at
  FROM jsonb_to_recordset($3::jsonb) AS row (server text, state text, era text, version text, tools jsonb,
       error_code text, error text, last_check_at timestamptz, last_error_at timestamptz)
  ON CONFLICT (server, runner) DO UPDATE
  SET state = EXCLUDED.state, era = EXCLUDED.era, version = EXCLUDED.version, tools = EXCLUDED.tools,
      error_code = EXCLUDED.error_code, error = EXCLUDED.error, last_check_at = EXCLUDED.last_check_at,
      last_error_at = EXCLUDED.last_error_at, seen_at = now(),
      since = CASE WHEN kept.state = EXCLUDED.state THEN kept.since ELSE now() END
  RETURNING 1
)
SELECT count(*)::int AS n FROM written`;

/** The times of contacts change all the time, the rest hardly ever. */
const CONFIRM = `
WITH confirmed AS (
  UPDATE mcp_server_states SET seen_at = now(), last_check_at = checked.at
  FROM unnest($2::text[], $3::timestamptz[]) AS checked (server, at)
  WHERE mcp_server_states.runner = $1 AND mcp_server_states.server = checked.server
  RETURNING 1
)
SELECT count(*)::int AS n FROM confirmed`;

const REMOVE = `
WITH removed AS (DELETE FROM mcp_server_states WHERE runner = $1 RETURNING 1) SELECT count(*)::int AS n FROM removed`;
const parseCount = compileParser("count of server states", Type.Object({ n: Type.Integer() }));

/** The rows of one runner in `mcp_server_states`. */
export class ServerStateRows {
  readonly #db: Database;
  readonly #runner: { readonly id: string; readonly host: string };

  constructor(db: Database, runner: { readonly id: string; readonly host: string }) {
    this.#db = db;
    this.#runner = runner;
  }

  /** Stores the rows in the place of earlier ones of the same servers. */
  async write(rows: readonly StateRow[]): Promise<void> {
    const { id, host } = this.#runner;
    await selectRows(this.#db, parseCount, WRITE, [id, host, postgresSafeJson(rows)]);
  }

  /** Says that the stored rows still hold, with the times of the last contacts; false if some are no longer there. */
  async confirm(rows: readonly StateRow[]): Promise<boolean> {
    const [confirmed] = await selectRows(this.#db, parseCount, CONFIRM, [
      this.#runner.id,
      rows.map(({ server }) => server),
      rows.map(({ last_check_at }) => last_check_at),
    ]);
    return confirmed?.n === rows.length;
  }

  async remove(): Promise<void> {
    await selectRows(this.#db, parseCount, REMOVE, [this.#runner.id]);
  }
}
