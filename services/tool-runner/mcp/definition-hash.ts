import { createHash } from "node:crypto";

/** SHA-256 of what a model is told about a tool, in hex; the order of keys does not count. */
export function definitionHash(definition: {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
}): string {
  return createHash("sha256").update(canonicalJson(definition)).digest("hex");
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
