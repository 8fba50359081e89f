import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { PROVIDER_TYPES } from "#shared/contracts/resolved-chain.ts";
import { Duration, Name, VariableName, Whole, orZero } from "#shared/agent-config/schemas/schema-parts.ts";

export const NATIVE_TOOLS = ["google_search", "code_execution", "url_context"] as const;

const LlmProviderEntry = Type.Object({
  type: Type.Enum(PROVIDER_TYPES),
  /** Required for every type but `scripted`. */
  model: Type.Optional(Name),
  api_key_env: Type.Optional(VariableName),
  credentials_env: Type.Optional(VariableName),
  project_env: Type.Optional(VariableName),
  location_env: Type.Optional(VariableName),
  base_url: Type.Optional(Name),
  region: Type.Optional(Name),
  deployment: Type.Optional(Name),
  api_version: Type.Optional(Name),
  authority_host: Type.Optional(Name),
  access_key_id_env: Type.Optional(VariableName),
  secret_access_key_env: Type.Optional(VariableName),
  session_token_env: Type.Optional(VariableName),
  tenant_id_env: Type.Optional(VariableName),
  client_id_env: Type.Optional(VariableName),
  client_secret_env: Type.Optional(VariableName),
  machine_credentials: Type.Optional(Type.Boolean()),
  script: Type.Optional(Name),
  max_tool_result_tokens: Type.Optional(orZero(Whole(1000))),
  native_tools: Type.Optional(Type.Record(Type.String(), Type.Boolean())),
  /** The longest answer. */
  max_output_tokens: Type.Optional(Whole(16)),
  timeouts: Type.Optional(
    Type.Object({
      call: Duration,
      first_chunk: Type.Optional(Duration),
      stall: Type.Optional(Duration),
    }),
  ),
});
export type LlmProviderEntry = Static<typeof LlmProviderEntry>;

/** The shape of `llm-providers.yaml`. */
export const LlmProvidersFile = Type.Object({
  llm_providers: Type.Optional(Type.Record(Type.String(), LlmProviderEntry)),
});
export type LlmProvidersFile = Static<typeof LlmProvidersFile>;
