import { createHmac } from "node:crypto";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { Database } from "#shared/database/database.ts";

const parseSecret = compileParser("secret of groups", Type.Object({ secret: Type.String() }));

/** Makes the keys of groups, HMAC-SHA-256 in hex: no table has the values that identify an incident. */
export type GroupDigest = (parts: readonly unknown[]) => string;

/** Returns a function that resolves with the digest of this system, whose secret is read once. It rejects with database errors. */
export function groupDigests(db: Database): () => Promise<GroupDigest> {
  let secret: Promise<string> | undefined;
  const read = async () => {
    const [row] = await selectRows(db, parseSecret, "SELECT secret FROM alert_group_secrets", []);
    if (row === undefined) throw new Error("table alert_group_secrets is empty");
    return row.secret;
  };
  return async () => {
    secret ??= read();
    const key = await secret.catch((error: unknown) => {
      secret = undefined;
      throw error;
    });
    return (parts) => createHmac("sha256", key).update(JSON.stringify(parts)).digest("hex");
  };
}
