import { createHash } from "node:crypto";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { SESSION_LANES } from "#shared/contracts/subjects.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { RequestError } from "../http/request-error.ts";
import { KEY_LIFETIME_HOURS } from "../alerts/submission-key.ts";
import { hashForkRequest, type ForkRequest } from "./fork-request.ts";
import type { StoredFork } from "./fork-session.ts";

/** The idempotency key of a fork. */
interface ForkKey {
  /** SHA-256 in hex, scoped to the submitter. */
  readonly key: string;
  readonly requestHash: string;
  readonly header: string;
}

const VISIBLE_ASCII = /^[!-~]{1,255}$/u;

/** The key from the client's header; undefined without one. Throws RequestError 400 for an invalid header. */
export function forkKey(
  header: string | string[] | undefined,
  submitter: string,
  parent: string,
  request: ForkRequest,
): ForkKey | undefined {
  if (header === undefined) return undefined;
  const text = String(header);
  if (!VISIBLE_ASCII.test(text)) {
    throw new RequestError(
      400,
      "header Idempotency-Key must be 1 to 255 visible ASCII characters without a space, e.g. a UUID",
    );
  }
  const key = createHash("sha256")
    .update(JSON.stringify(["fork", submitter, text]))
    .digest("hex");
  return { key, requestHash: hashForkRequest(parent, request), header: text };
}

const FIND = `
SELECT k.session_id, k.request_hash, s.forked_at_seq AS at_seq, s.lane
FROM idempotency_keys k JOIN alert_sessions s USING (session_id) WHERE k.key = $1 AND k.expires_at > now()`;
const parseFound = compileParser(
  "idempotency key of a fork",
  Type.Object({
    session_id: Type.String(),
    request_hash: Type.String(),
    at_seq: Type.Union([Type.Integer(), Type.Null()]),
    lane: literals(SESSION_LANES),
  }),
);

/** A concurrent request with the same key waits here, and then fails to serialize. */
const TAKE = `
WITH taken AS (
  INSERT INTO idempotency_keys AS existing (key, session_id, request_hash, expires_at)
  VALUES ($1, $2, $3, now() + make_interval(hours => ${KEY_LIFETIME_HOURS}))
  ON CONFLICT (key) DO UPDATE SET session_id = excluded.session_id, request_hash = excluded.request_hash,
    created_at = now(), expires_at = excluded.expires_at
  RETURNING 1)
SELECT count(*)::int AS n FROM taken`;
const parseTaken = compileParser("taken key", Type.Object({ n: Type.Integer() }));

/**
 * The fork that was stored with the key before, or the one that `store` stores in the running transaction, which then has the key. Throws
 * RequestError 422 if the key stands for another request.
 */
export async function takeForkKey(
  transaction: Queryable,
  { key, requestHash, header }: ForkKey,
  store: () => Promise<StoredFork>,
): Promise<StoredFork & { readonly isReplayed: boolean }> {
  const [known] = await selectRows(transaction, parseFound, FIND, [key]);
  if (known !== undefined) {
    if (known.request_hash !== requestHash) {
      throw new RequestError(
        422,
        `Idempotency-Key '${header}' stands for another request: send that one unchanged, or this one with a key of its own`,
      );
    }
    return { sessionId: known.session_id, atSeq: known.at_seq ?? 0, lane: known.lane, isReplayed: true };
  }
  const stored = await store();
  await selectRows(transaction, parseTaken, TAKE, [key, stored.sessionId, requestHash]);
  return { ...stored, isReplayed: false };
}
