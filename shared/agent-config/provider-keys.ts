import type { ProviderType } from "#shared/contracts/resolved-chain.ts";
import { TYPE_SETTINGS, type HashedProvider } from "#shared/contracts/provider-hash.ts";

/** The keys of a provider's entry that name variables with credentials. */
export const CREDENTIAL_KEYS = [
  "api_key_env",
  "credentials_env",
  "access_key_id_env",
  "secret_access_key_env",
  "session_token_env",
  "tenant_id_env",
  "client_id_env",
  "client_secret_env",
] as const;

/** The variable of the key where an entry without a base_url names none; undefined if the entry must name one. */
const DEFAULT_KEY_VARIABLES: Readonly<Record<ProviderType, string | undefined>> = {
  google: undefined,
  openai: undefined,
  anthropic: undefined,
  xai: undefined,
  vertexai: undefined,
  mistral: "MISTRAL_API_KEY",
  groq: "GROQ_API_KEY",
  openrouter: "OPENROUTER_API_KEY",
  deepseek: "DEEPSEEK_API_KEY",
  azure: undefined,
  bedrock: undefined,
  scripted: undefined,
};

/** The parts of an entry that say which variables it reads. */
export type NamingEntry = { readonly type?: ProviderType; readonly base_url?: string } & {
  readonly [Key in (typeof CREDENTIAL_KEYS)[number]]?: string;
};

/** The name of the variable that holds an entry's API key; undefined if no key is sent or the type requires a name. */
export function keyVariable({ type, base_url, api_key_env }: NamingEntry): string | undefined {
  if (api_key_env !== undefined || type === undefined || base_url !== undefined) return api_key_env;
  return DEFAULT_KEY_VARIABLES[type];
}

/**
 * True for an entry that may be used without a key: the server at a base_url may need none. Azure and Bedrock need one of their
 * credentials in any case. The check of the configuration and the llm-gateway decide by it.
 */
export function isKeyless({
  type,
  base_url,
}: {
  readonly type: string;
  readonly base_url?: string | undefined;
}): boolean {
  if (type === "bedrock" || type === "azure") return false;
  return type === "vertexai" || type === "scripted" || (base_url !== undefined && base_url !== "");
}

/** The names of all variables with credentials that an entry reads. */
export function credentialVariables(entry: NamingEntry): string[] {
  return CREDENTIAL_KEYS.map((key) => (key === "api_key_env" ? keyVariable(entry) : entry[key])).filter(
    (name) => name !== undefined,
  );
}

/** The settings of single types of providers. */
export type TypeSettings = Pick<HashedProvider, (typeof TYPE_SETTINGS)[number]>;

/** The settings of single types that an entry has. */
export function typeSettings(entry: TypeSettings): TypeSettings {
  const set = Object.entries(entry).filter(
    ([key, value]) => TYPE_SETTINGS.some((known) => known === key) && value !== undefined,
  );
  return Object.fromEntries(set);
}
