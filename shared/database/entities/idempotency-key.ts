import { EntitySchema } from "typeorm";

/** Maps a repeated submission to the session of the first one. */
interface IdempotencyKey {
  /** SHA-256 in hex of the author with the client's own key, or with the alert's type and fingerprint. */
  key: string;
  session_id: string;
  /** SHA-256 in hex of the first request; a client's key with another request is refused. */
  request_hash: string;
  created_at: Date;
  expires_at: Date;
}

export const IdempotencyKeyEntity = new EntitySchema<IdempotencyKey>({
  name: "IdempotencyKey",
  tableName: "idempotency_keys",
  columns: {
    key: { type: "text", primary: true },
    session_id: { type: "uuid" },
    request_hash: { type: "text" },
    created_at: { type: "timestamptz", default: () => "now()" },
    expires_at: { type: "timestamptz" },
  },
});
