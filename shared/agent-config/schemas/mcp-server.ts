import { Type } from "#shared/generated/typebox/typebox.mjs";
import { Backend } from "#shared/agent-config/schemas/backend.ts";
import {
  Duration,
  Name,
  NameTemplate,
  SecretTemplate,
  Template,
  Text,
  Whole,
  orZero,
} from "#shared/agent-config/schemas/schema-parts.ts";

const TRANSPORT_TYPES = ["stdio", "http", "sse"] as const;
const Names = Type.Array(Name);

const Transport = Type.Object({
  type: Type.Enum(TRANSPORT_TYPES),
  command: Type.Optional(NameTemplate),
  args: Type.Optional(Type.Array(Template)),
  env: Type.Optional(Type.Record(Type.String(), SecretTemplate)),
  url: Type.Optional(NameTemplate),
  bearer_token: Type.Optional(SecretTemplate),
  custom_headers: Type.Optional(Type.Record(Type.String(), SecretTemplate)),
  verify_ssl: Type.Optional(Type.Boolean()),
  ca_file: Type.Optional(NameTemplate),
  client_cert_file: Type.Optional(NameTemplate),
  client_key_file: Type.Optional(NameTemplate),
  session_cleanup_url: Type.Optional(NameTemplate),
  timeout: Type.Optional(orZero(Whole(1))),
});

/** An entry of `mcp_servers`. */
export const McpServer = Type.Object({
  /** A pack, which has the transport, the tools and their definitions. */
  pack: Type.Optional(Name),
  /** Values for the settings of the pack, by their names; without one, that of the setting's variable. */
  settings: Type.Optional(Type.Record(Type.String(), SecretTemplate)),
  transport: Type.Optional(Transport),
  auth: Type.Optional(
    Type.Object({
      type: Type.Enum(["client_credentials", "private_key_jwt", "oauth"]),
      issuer: Type.Optional(NameTemplate),
      client_id: Type.Optional(NameTemplate),
      client_secret: Type.Optional(SecretTemplate),
      private_key_file: Type.Optional(NameTemplate),
      algorithm: Type.Optional(Name),
      scope: Type.Optional(Name),
    }),
  ),
  tools: Type.Optional(
    Type.Object({
      allow: Type.Optional(Names),
      deny: Type.Optional(Names),
      read_only: Type.Optional(Names),
      idempotent: Type.Optional(Names),
      write: Type.Optional(Names),
      destructive: Type.Optional(Names),
      approve: Type.Optional(Names),
    }),
  ),
  trust_annotations: Type.Optional(Type.Boolean()),
  isolation: Type.Optional(Type.Enum(["shared", "execution", "call"])),
  protocol: Type.Optional(Type.Enum(["auto", "legacy", "modern"])),
  connect_timeout: Type.Optional(Duration),
  call_timeout: Type.Optional(Duration),
  idle_timeout: Type.Optional(Duration),
  max_concurrent: Type.Optional(Whole(1, 1_000)),
  max_result_bytes: Type.Optional(Whole(1_024, 64 * 1024 * 1024)),
  instructions: Type.Optional(Template),
  /** Not the systems of the installation: what its tools answer from instead, and what to do about it. */
  example: Type.Optional(Name),
  data_masking: Type.Optional(
    Type.Object({
      enabled: Type.Optional(Type.Boolean()),
      pattern_groups: Type.Optional(Names),
      patterns: Type.Optional(Names),
      custom_patterns: Type.Optional(
        Type.Array(
          Type.Object({
            pattern: Type.Optional(Name),
            replacement: Type.Optional(Name),
            description: Type.Optional(Text),
          }),
        ),
      ),
    }),
  ),
  summarization: Type.Optional(
    Type.Object({
      enabled: Type.Optional(Type.Boolean()),
      size_threshold_tokens: Type.Optional(orZero(Whole(0))),
      summary_max_token_limit: Type.Optional(Whole(0)),
      llm_provider: Type.Optional(Name),
      llm_backend: Type.Optional(Backend),
    }),
  ),
});
