import { Initial0000000000001 } from "#shared/database/migrations/0001-initial.ts";
import { ToolCallOutcomes0000000000002 } from "#shared/database/migrations/0002-tool-call-outcomes.ts";
import { Waiting0000000000003 } from "#shared/database/migrations/0003-waiting.ts";
import { Purge0000000000004 } from "#shared/database/migrations/0004-purge.ts";
import { SchemaSupport0000000000005 } from "#shared/database/migrations/0005-schema-support.ts";
import { OwnerState0000000000006 } from "#shared/database/migrations/0006-owner-state.ts";
import { SearchEndedSessions0000000000007 } from "#shared/database/migrations/0007-search-ended-sessions.ts";
import { FewerForeignKeys0000000000008 } from "#shared/database/migrations/0008-fewer-foreign-keys.ts";
import { Access0000000000009 } from "#shared/database/migrations/0009-access.ts";
import { ProviderFallback0000000000012 } from "#shared/database/migrations/0012-provider-fallback.ts";
import { Erasure0000000000011 } from "#shared/database/migrations/0011-erasure.ts";

/** Every migration, oldest first. */
export const MIGRATIONS = [
  Initial0000000000001,
  ToolCallOutcomes0000000000002,
  Waiting0000000000003,
  Purge0000000000004,
  SchemaSupport0000000000005,
  OwnerState0000000000006,
  SearchEndedSessions0000000000007,
  FewerForeignKeys0000000000008,
  Erasure0000000000011,
  Access0000000000009,
  ProviderFallback0000000000012,
] as const;

/** The table in which TypeORM records them by name. */
export const MIGRATIONS_TABLE = "schema_migrations";
