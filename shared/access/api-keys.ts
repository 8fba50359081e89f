import { randomBytes, timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import {
  ROLES,
  SCOPES,
  STANDARD_SCOPES,
  type Identity,
  type Role,
  type Scope,
} from "#shared/access/identity.ts";
import {
  isPageCredentialOf,
  type GivenPageCredential,
  type PageKey,
} from "#shared/access/page-credential.ts";
import { sha256 } from "#shared/access/secret-equals.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { API_KEYS } from "#shared/database/tables/access.ts";

/** An API key in text is `tarsy_<id>_<secret>`; the id is not secret. */
const KEY = /^tarsy_(?<id>[0-9a-f]{12})_(?<secret>[\w-]{43})$/u;

/** The time for which a revoked key may still be accepted by a process that has just used it. */
const CACHED_MS = 5_000;
const MAX_CACHED = 10_000;

/** The id and the digest of a key's text, for what is made from it. */
export function pageKeyOf(text: string): PageKey | undefined {
  const { id, secret } = KEY.exec(text)?.groups ?? {};
  return id === undefined || secret === undefined ? undefined : { id, secretHash: sha256(secret) };
}

/** True for a text that can only be meant as an API key. */
export function looksLikeApiKey(text: string): boolean {
  return text.startsWith("tarsy_");
}

const KeyRow = Type.Object({
  secret_hash: Type.String(),
  subject: Type.String(),
  roles: Type.Array(literals(ROLES)),
  teams: Type.Array(Type.String()),
  scopes: Type.Array(literals(SCOPES)),
  expires_ms: Type.Union([Type.Number(), Type.Null()]),
});
type KeyRow = Static<typeof KeyRow>;
const parseKey = compileParser("api key row", KeyRow);

const FIND = `
SELECT encode(secret_hash, 'hex') AS secret_hash, subject, roles, teams, scopes,
       (extract(epoch FROM expires_at) * 1000)::float8 AS expires_ms
FROM api_keys WHERE id = $1 AND revoked_at IS NULL`;

/** The keys of the table `api_keys`, each read at most every 5 s. */
export class ApiKeys {
  readonly #db: Queryable;
  readonly #rows = new LRUCache<string, Promise<KeyRow | undefined>>({ max: MAX_CACHED, ttl: CACHED_MS });

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** Whose key this is; undefined if it is unknown, revoked or expired. Throws database errors. */
  async identify(text: string): Promise<Identity | undefined> {
    const { id, secret } = KEY.exec(text)?.groups ?? {};
    if (id === undefined || secret === undefined) return undefined;
    return this.#identify(id, (secretHash) => timingSafeEqual(sha256(secret), secretHash));
  }

  /** Whose key a page's credential was made from; undefined if it was not, or the key is unknown, revoked or expired. */
  async identifyPage(credential: GivenPageCredential): Promise<Identity | undefined> {
    const identity = await this.#identify(credential.keyId, (secretHash) =>
      isPageCredentialOf(credential, secretHash),
    );
    if (identity === undefined) return undefined;
    return { ...identity, expiresAt: Math.min(identity.expiresAt ?? Infinity, credential.expiresAt) };
  }

  async #identify(id: string, isProven: (secretHash: Buffer) => boolean): Promise<Identity | undefined> {
    const row = await this.#read(id);
    if (row === undefined || !isProven(Buffer.from(row.secret_hash, "hex"))) return undefined;
    const { subject, roles, teams, scopes, expires_ms } = row;
    if (expires_ms !== null && expires_ms <= Date.now()) return undefined;
    const expiry = expires_ms === null ? {} : { expiresAt: expires_ms };
    return { subject, name: subject, roles, teams, scopes, via: "key", keyId: id, ...expiry };
  }

  /** False once the key with this id is revoked. Throws database errors. */
  async isActive(id: string): Promise<boolean> {
    return (await this.#read(id)) !== undefined;
  }

  async #read(id: string): Promise<KeyRow | undefined> {
    const cached = this.#rows.get(id);
    if (cached !== undefined) return cached;
    const reading = selectRows(this.#db, parseKey, FIND, [id]).then(([row]) => row);
    this.#rows.set(id, reading);
    reading.catch(() => this.#rows.delete(id));
    return reading;
  }
}

/** A new key: its text, shown once, and the parts that are stored. */
function newApiKey(): { readonly id: string; readonly text: string; readonly secretHash: Buffer } {
  const id = randomBytes(6).toString("hex");
  const secret = randomBytes(32).toString("base64url");
  return { id, text: `tarsy_${id}_${secret}`, secretHash: sha256(secret) };
}

/** Records a change of the rows in `source`. The subject is the user of the database, the only caller that the command knows. */
const auditKey = (action: string, source: string): string => `
INSERT INTO audit_log (service, subject, via, action, result, detail)
SELECT 'command-line', current_user, 'database', '${action}', 'allowed',
       jsonb_build_object('key', id, 'for', subject, 'roles', roles)
FROM ${source}`;

/** Stores a new key and returns its text, which cannot be read again. */
export async function addApiKey(
  db: Queryable,
  key: {
    readonly subject: string;
    readonly roles: readonly Role[];
    readonly teams: readonly string[];
    readonly scopes?: readonly Scope[] | undefined;
    readonly expiresInDays: number | undefined;
  },
): Promise<{ readonly id: string; readonly text: string }> {
  const { id, text, secretHash } = newApiKey();
  await db.query(
    `WITH added AS (
       INSERT INTO api_keys (id, secret_hash, subject, roles, teams, expires_at, scopes)
       VALUES ($1, $2, $3, $4, $5, now() + make_interval(days => $6), $7) RETURNING id, subject, roles
     )
     ${auditKey("key.add", "added")}`,
    [
      id,
      secretHash,
      key.subject,
      key.roles,
      key.teams,
      key.expiresInDays ?? null,
      key.scopes ?? STANDARD_SCOPES,
    ],
  );
  return { id, text };
}

const Listed = Type.Object(
  rowMembers(API_KEYS, "id", "subject", "roles", "teams", "scopes", "expires_at", "revoked_at"),
);
const parseListed = compileParser("api key row", Listed);

/** Every key without its secret, oldest first; times in UTC. */
export async function listApiKeys(db: Queryable): Promise<Static<typeof Listed>[]> {
  const time = (column: string) =>
    `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS ${column}`;
  const sql = `SELECT id, subject, roles, teams, scopes, ${time("expires_at")}, ${time("revoked_at")} FROM api_keys ORDER BY created_at`;
  return selectRows(db, parseListed, sql, []);
}

/** Revokes a key; false if there is none with this id that is not revoked yet. */
export async function revokeApiKey(db: Queryable, id: string): Promise<boolean> {
  const sql = `
    WITH revoked AS (
      UPDATE api_keys SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL RETURNING id, subject, roles
    ), audited AS (${auditKey("key.revoke", "revoked")})
    SELECT id FROM revoked`;
  return (
    (await selectRows(db, compileParser("revoked key", Type.Object({ id: Type.String() })), sql, [id]))
      .length > 0
  );
}
