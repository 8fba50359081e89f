import { hash } from "node:crypto";

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
  readonly region?: string;
  readonly deployment?: string;
  readonly api_version?: string;
  readonly authority_host?: string;
  readonly access_key_id_env?: string;
  readonly secret_access_key_env?: string;
  readonly session_token_env?: string;
  readonly tenant_id_env?: string;
  readonly client_id_env?: string;
  readonly client_secret_env?: string;
  readonly machine_credentials?: boolean;
  readonly max_tool_result_tokens: number;
  readonly native_tools?: Readonly<Record<string, boolean>>;
}

/** The settings of single types. They are part of the hash only where they are set, so that other hashes stay the same. */
export const TYPE_SETTINGS = [
  "region",
  "deployment",
  "api_version",
  "authority_host",
  "access_key_id_env",
  "secret_access_key_env",
  "session_token_env",
  "tenant_id_env",
  "client_id_env",
  "client_secret_env",
  "machine_credentials",
] as const satisfies readonly (keyof HashedProvider)[];

/** Of entries that were asked for before: they do not change, and each call of a model asks several times. */
const hashes = new WeakMap<HashedProvider, string>();

/**
 * SHA-256 in hex over an LLM provider's entry. Equal for the entry that is stored with a session and the same entry in a
 * configuration, with any order of its keys. Of `base_url` it covers only scheme, host, port and path: the rest may hold
 * a secret.
 */
export function hashProvider(entry: HashedProvider): string {
  const known = hashes.get(entry);
  if (known !== undefined) return known;
  const settings = TYPE_SETTINGS.filter((key) => entry[key] !== undefined).map((key) => [key, entry[key]]);
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
    ...settings,
  ];
  const digest = hash("sha256", JSON.stringify(covered));
  hashes.set(entry, digest);
  return digest;
}

function withoutSecrets(baseUrl: string): string {
  const url = URL.parse(baseUrl);
  return url === null ? "" : `${url.protocol}//${url.host}${url.pathname}`;
}
