import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { cookieOf, PAGE_HEADER } from "#shared/access/page-credential.ts";
import { Identity } from "#shared/access/identity.ts";
import { sha256 } from "#shared/access/secret-equals.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { postgresSafeJson } from "#shared/postgres-safe-json.ts";

/** How long a person stays signed in. */
const LIFETIME_SECONDS = 8 * 3_600;
/** Browsers take a cookie of this prefix only over TLS or from this machine, for one host and every path. */
const COOKIE = "__Host-tarsy";
const FLAGS = "Path=/; HttpOnly; Secure; SameSite=Lax";
const TOKEN = /^[\w-]{43}$/u;

const INSERT = `
INSERT INTO page_sessions (session_hash, identity, id_token, expires_at)
VALUES ($1, $2::jsonb, $3, now() + make_interval(secs => ${LIFETIME_SECONDS}))`;
const FIND = `
SELECT identity, (extract(epoch FROM expires_at) * 1000)::float8 AS expires_ms
FROM page_sessions WHERE session_hash = $1 AND expires_at > now()`;
const parseFound = compileParser(
  "page session row",
  Type.Object({ identity: Identity, expires_ms: Type.Number() }),
);
const DELETE = "DELETE FROM page_sessions WHERE session_hash = $1 RETURNING id_token";
const parseDeleted = compileParser("page session row", Type.Object({ id_token: Type.String() }));

/**
 * Sessions of people who signed in to the page with an identity provider. The browser has a random text in a cookie; what it stands for is a row, so
 * that every api knows of a sign-out at once.
 */
export class PageSessions {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** Opens a session and returns the header with its cookie. `idToken` is kept, sealed by the caller. Throws database errors. */
  async open(identity: Identity, idToken: string): Promise<string> {
    const token = randomBytes(32).toString("base64url");
    await this.#db.query(INSERT, [sha256(token), postgresSafeJson(identity), idToken]);
    return `${COOKIE}=${token}; Max-Age=${LIFETIME_SECONDS}; ${FLAGS}`;
  }

  /**
   * Who makes a request of the page; undefined without a session that is open. As a page of another origin can cause a cookie to be sent, but
   * not this header, a request needs both. Throws database errors.
   */
  async identify(headers: IncomingHttpHeaders): Promise<Identity | undefined> {
    const token = cookieOf(headers, COOKIE);
    if (headers[PAGE_HEADER] === undefined || !TOKEN.test(token)) return undefined;
    const hash = sha256(token);
    const [row] = await selectRows(this.#db, parseFound, FIND, [hash]);
    return row && { ...row.identity, pageSession: hash.toString("hex"), expiresAt: row.expires_ms };
  }

  /** False once the session has ended. Throws database errors. */
  async isOpen(pageSession: string): Promise<boolean> {
    return (await selectRows(this.#db, parseFound, FIND, [Buffer.from(pageSession, "hex")])).length > 0;
  }

  /** Ends the session of a request; returns the header that takes the cookie back, and the sealed ID token if there was one. */
  async end(headers: IncomingHttpHeaders): Promise<{ readonly cookie: string; readonly idToken?: string }> {
    const token = cookieOf(headers, COOKIE);
    const [row] = await selectRows(this.#db, parseDeleted, DELETE, [sha256(token)]);
    return { cookie: `${COOKIE}=; Max-Age=0; ${FLAGS}`, ...(row && { idToken: row.id_token }) };
  }
}
