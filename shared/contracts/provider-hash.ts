import { createHash } from "node:crypto";

/** The parts of an LLM provider's entry that its hash covers; names of variables, not their values. */
export interface HashedProvider {
  readonly type: string;
  readonly model: string;
  readonly api_key_env?: string;
  readonly credentials_env?: string;
  readonly project?: string;
  readonly location?: string;
  readonly base_url?: string;
  readonly script?: string;
  readonly max_tool_result_tokens: number;
  readonly native_tools?: Readonly<Record<string, boolean>>;
}

/**
 * SHA-256 in hex over an LLM provider's entry. Equal for the entry that is stored with a session and the same entry in a
 * configuration, whatever the order of its keys. Of `base_url` it covers only scheme, host, port and path: the rest may hold
 * a secret.
 */
export function hashProvider(entry: HashedProvider): string {
  const covered = [
    entry.type,
    entry.model,
    entry.api_key_env ?? "",
    entry.credentials_env ?? "",
    entry.project ?? "",
    entry.location ?? "",
    withoutSecrets(entry.base_url ?? ""),
    entry.script ?? "",
    entry.max_tool_result_tokens,
    Object.entries(entry.native_tools ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ];
  return createHash("sha256").update(JSON.stringify(covered)).digest("hex");
}

function withoutSecrets(baseUrl: string): string {
  const url = URL.parse(baseUrl);
  return url === null ? "" : `${url.protocol}//${url.host}${url.pathname}`;
}
