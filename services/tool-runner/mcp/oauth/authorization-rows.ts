import { createHash } from "node:crypto";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { CONNECT_MINUTES } from "#shared/contracts/mcp-connect.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { TokenKeys } from "./token-keys.ts";

const SealedOrNull = Type.Union([Type.String(), Type.Null()]);
const parseStored = compileParser(
  "stored authorization",
  Type.Object({ sealed: SealedOrNull, generation: Type.Integer() }),
);
const parseCount = compileParser("count of authorizations", Type.Object({ n: Type.Integer() }));
const parseFlow = compileParser(
  "begun authorization",
  Type.Object({ server: Type.String(), sealed: Type.String() }),
);

const READ =
  "SELECT encode(sealed, 'base64') AS sealed, generation FROM mcp_authorizations WHERE server = $1";

const changed = (sql: string) =>
  `WITH changed AS (${sql} RETURNING 1) SELECT count(*)::int AS n FROM changed`;
const OF_GENERATION = "WHERE server = $1 AND generation = $2";
/** One runner refreshes at a time: the row's lock decides which, and a runner that dies keeps the others waiting so long at most. */
const CLAIM = changed(`
UPDATE mcp_authorizations SET claimed_until = now() + make_interval(secs => $3)
${OF_GENERATION} AND (claimed_until IS NULL OR claimed_until <= now())`);
const RELEASE = changed(`UPDATE mcp_authorizations SET claimed_until = NULL ${OF_GENERATION}`);
const REPLACE = changed(`
UPDATE mcp_authorizations SET sealed = $3, generation = generation + 1, claimed_until = NULL, changed_at = now() ${OF_GENERATION}`);
const STORE = changed(`
INSERT INTO mcp_authorizations AS kept (server, sealed) VALUES ($1, $2)
ON CONFLICT (server) DO UPDATE
SET sealed = EXCLUDED.sealed, generation = kept.generation + 1, claimed_until = NULL, changed_at = now()`);

const BEGIN = `
WITH late AS (DELETE FROM mcp_connects WHERE expires_at <= now()),
begun AS (
  INSERT INTO mcp_connects (state_hash, server, sealed, expires_at)
  VALUES ($1, $2, $3, now() + interval '${CONNECT_MINUTES} minutes') RETURNING 1)
SELECT count(*)::int AS n FROM begun`;
/** A state is valid once. */
const TAKE = `
WITH taken AS (DELETE FROM mcp_connects WHERE state_hash = $1 RETURNING server, sealed, expires_at)
SELECT server, encode(sealed, 'base64') AS sealed FROM taken WHERE expires_at > now()`;

/** A stored authorization, decrypted; `text` is null once it has ended. */
export interface StoredText {
  readonly text: string | null;
  readonly generation: number;
}

/** What is stored of authorizations for MCP servers, which all runners share. Nothing of it is readable without the keys. */
export class AuthorizationRows {
  readonly #db: Queryable;
  readonly #keys: TokenKeys;

  constructor(db: Queryable, keys: TokenKeys) {
    this.#db = db;
    this.#keys = keys;
  }

  /** Undefined if none was ever stored. Throws database errors, and TerminalError for another key. */
  async read(server: string): Promise<StoredText | undefined> {
    const [row] = await selectRows(this.#db, parseStored, READ, [server]);
    if (row === undefined) return undefined;
    const { sealed, generation } = row;
    const text = sealed === null ? null : this.#keys.open(Buffer.from(sealed, "base64"), tokensOf(server));
    return { text, generation };
  }

  /** True if this runner may refresh what was read; no other may for so many seconds. */
  async claim(server: string, generation: number, seconds: number): Promise<boolean> {
    return this.#change(CLAIM, [server, generation, seconds]);
  }

  async release(server: string, generation: number): Promise<void> {
    await this.#change(RELEASE, [server, generation]);
  }

  /** Replaces what was read, null if it has ended; false if another runner has replaced it since. */
  async replace(server: string, generation: number, text: string | null): Promise<boolean> {
    const sealed = text === null ? null : this.#keys.seal(text, tokensOf(server));
    return this.#change(REPLACE, [server, generation, sealed]);
  }

  /** Stores a new authorization in the place of any other. */
  async store(server: string, text: string): Promise<void> {
    await this.#change(STORE, [server, this.#keys.seal(text, tokensOf(server))]);
  }

  /** Stores what the answer to `state` needs. */
  async begin(state: string, server: string, text: string): Promise<void> {
    await this.#change(BEGIN, [hashOf(state), server, this.#keys.seal(text, connectOf(server))]);
  }

  /** What was stored for `state`, once and within its time; undefined for any other. */
  async take(state: string): Promise<{ readonly server: string; readonly text: string } | undefined> {
    const [row] = await selectRows(this.#db, parseFlow, TAKE, [hashOf(state)]);
    if (row === undefined) return undefined;
    const { server, sealed } = row;
    return { server, text: this.#keys.open(Buffer.from(sealed, "base64"), connectOf(server)) };
  }

  async #change(sql: string, parameters: readonly unknown[]): Promise<boolean> {
    const [row] = await selectRows(this.#db, parseCount, sql, parameters);
    return row?.n === 1;
  }
}

function hashOf(state: string): Buffer {
  return createHash("sha256").update(state).digest();
}

function tokensOf(server: string): string {
  return `tokens of ${server}`;
}

function connectOf(server: string): string {
  return `connect of ${server}`;
}
