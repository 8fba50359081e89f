import { MCP_STATE_ALIVE_MS } from "#shared/contracts/durations.ts";
import { isoText } from "#shared/database/iso-text.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { StoredTool } from "#shared/contracts/mcp-server-state.ts";
import type { Database } from "#shared/database/database.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { MCP_SERVER_STATES } from "#shared/database/tables/mcp-servers.ts";

const ServerState = Type.Object({
  ...rowMembers(MCP_SERVER_STATES, "server", "runner", "host", "state", "era", "version"),
  tools: Type.Array(StoredTool),
  ...rowMembers(MCP_SERVER_STATES, "error_code", "error", "last_check_at", "last_error_at", "since"),
});
/** What one live tool-runner knows of one MCP server; times in RFC 3339. */
export type ServerState = Static<typeof ServerState>;
const parseState = compileParser("state of an MCP server", ServerState);

const rfc3339 = (column: string) => `${isoText(column)} AS ${column}`;
const READ = `
SELECT server, runner, host, state, era, version, tools, error_code, error, ${rfc3339("last_check_at")},
       ${rfc3339("last_error_at")}, ${rfc3339("since")}
FROM mcp_server_states WHERE seen_at > now() - make_interval(secs => ${MCP_STATE_ALIVE_MS / 1_000})
ORDER BY server, host, runner`;

/** Many pages ask every few seconds. */
const KEPT_MS = 2_000;

/** Reads what live tool-runners know of the MCP servers; requests within 2 s share a read. */
export class ServerStateReader {
  readonly #db: Database;
  #last: { readonly states: Promise<readonly ServerState[]>; readonly at: number } | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  async read(): Promise<readonly ServerState[]> {
    if (this.#last !== undefined && performance.now() - this.#last.at < KEPT_MS) return this.#last.states;
    const states = selectRows(this.#db, parseState, READ, []);
    const read = { states, at: performance.now() };
    this.#last = read;
    try {
      return await states;
    } catch (error) {
      if (this.#last === read) this.#last = undefined;
      throw error;
    }
  }
}
