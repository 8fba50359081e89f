import { EntitySchema } from "typeorm";

/** Which session a repeated submission gets instead of a new one. */
export interface IdempotencyKey {
  key: string;
  session_id: string;
  /** SHA-256 in hex of the first request's body: the same key with another body is refused. */
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
