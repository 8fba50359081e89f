import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";
import { World } from "#shared/worlds/world-format.ts";

const StoredWorld = Type.Object({
  hash: Type.String(),
  servers: World.properties.servers,
  miss: Type.String(),
});
/** A world without its answers. */
export type StoredWorld = Static<typeof StoredWorld>;
const parseStored = compileParser("stored world", StoredWorld);

const READ = `
SELECT w.hash, w.servers, w.miss FROM alert_sessions s JOIN worlds w ON w.hash = s.world_hash WHERE s.session_id = $1`;

/** The world that answers the calls of a session. Throws database errors, and TerminalError if there is none. */
export async function readWorld(db: Queryable, sessionId: string): Promise<StoredWorld> {
  const [world] = await selectRows(db, parseStored, READ, [sessionId]);
  if (world === undefined) throw new TerminalError("malformed", `session ${sessionId} has no world`);
  return world;
}
