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
import { ToolResults0000000000014 } from "#shared/database/migrations/0014-tool-results.ts";
import { Erasure0000000000011 } from "#shared/database/migrations/0011-erasure.ts";
import { Masking0000000000013 } from "#shared/database/migrations/0013-masking.ts";
import { ToolCallPhases0000000000015 } from "#shared/database/migrations/0015-tool-call-phases.ts";
import { Approvals0000000000016 } from "#shared/database/migrations/0016-approvals.ts";
import { McpServerStates0000000000017 } from "#shared/database/migrations/0017-mcp-server-states.ts";
import { McpCleanups0000000000019 } from "#shared/database/migrations/0019-mcp-cleanups.ts";
import { StageTypes0000000000020 } from "#shared/database/migrations/0020-stage-types.ts";
import { StagesFromOne0000000000021 } from "#shared/database/migrations/0021-stages-from-one.ts";
import { SessionCounters0000000000022 } from "#shared/database/migrations/0022-session-counters.ts";
import { SessionSearch0000000000023 } from "#shared/database/migrations/0023-session-search.ts";
import { Reviews0000000000024 } from "#shared/database/migrations/0024-reviews.ts";
import { AlertNotifications0000000000025 } from "#shared/database/migrations/0025-alert-notifications.ts";
import { Costs0000000000026 } from "#shared/database/migrations/0026-costs.ts";
import { TraceContext0000000000028 } from "#shared/database/migrations/0028-trace-context.ts";
import { Texts0000000000029 } from "#shared/database/migrations/0029-texts.ts";
import { FollowUps0000000000030 } from "#shared/database/migrations/0030-follow-ups.ts";
import { Steering0000000000031 } from "#shared/database/migrations/0031-steering.ts";
import { Lanes0000000000035 } from "#shared/database/migrations/0035-lanes.ts";
import { SessionRunbooks0000000000036 } from "#shared/database/migrations/0036-session-runbooks.ts";
import { SubAgents0000000000037 } from "#shared/database/migrations/0037-sub-agents.ts";
import { Scores0000000000038 } from "#shared/database/migrations/0038-scores.ts";
import { MemoryVectors0000000000043 } from "#shared/database/migrations/0043-memory-vectors.ts";
import { WaitingFeedback0000000000042 } from "#shared/database/migrations/0042-waiting-feedback.ts";
import { RunbookSources0000000000041 } from "#shared/database/migrations/0041-runbook-sources.ts";
import { MemoryExtraction0000000000040 } from "#shared/database/migrations/0040-memory-extraction.ts";
import { SearchableFollowUps0000000000044 } from "./0044-searchable-follow-ups.ts";
import { Budgets0000000000045 } from "#shared/database/migrations/0045-budgets.ts";
import { AlertGroups0000000000049 } from "#shared/database/migrations/0049-alert-groups.ts";
import { Parking0000000000051 } from "./0051-parking.ts";
import { RecordedTools0000000000055 } from "./0055-recorded-tools.ts";
import { Memories0000000000039 } from "#shared/database/migrations/0039-memories.ts";
import { Outbox0000000000047 } from "./0047-outbox.ts";
import { Past0000000000053 } from "./0053-past.ts";

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
  Masking0000000000013,
  ToolResults0000000000014,
  ToolCallPhases0000000000015,
  Approvals0000000000016,
  McpServerStates0000000000017,
  McpCleanups0000000000019,
  StageTypes0000000000020,
  StagesFromOne0000000000021,
  SessionCounters0000000000022,
  SessionSearch0000000000023,
  Reviews0000000000024,
  AlertNotifications0000000000025,
  Costs0000000000026,
  TraceContext0000000000028,
  Texts0000000000029,
  FollowUps0000000000030,
  Steering0000000000031,
  Lanes0000000000035,
  SessionRunbooks0000000000036,
  SubAgents0000000000037,
  Scores0000000000038,
  RunbookSources0000000000041,
  Memories0000000000039,
  MemoryExtraction0000000000040,
  SearchableFollowUps0000000000044,
  WaitingFeedback0000000000042,
  MemoryVectors0000000000043,
  Budgets0000000000045,
  AlertGroups0000000000049,
  Outbox0000000000047,
  Parking0000000000051,
  RecordedTools0000000000055,
  Past0000000000053,
] as const;

/** The table in which TypeORM records them by name. */
export const MIGRATIONS_TABLE = "schema_migrations";
