import { Type } from "#shared/generated/typebox/typebox.mjs";
import { literals } from "#shared/contracts/literals.ts";
import { Time } from "../http/common-schemas.ts";

/** `degraded`: alerts are accepted, and sessions wait or are less safe. */
const Health = literals(["healthy", "degraded", "unhealthy"]);
const Count = Type.Integer({ minimum: 0 });
const State = {
  status: literals(["healthy", "unhealthy"]),
  response_time_ms: Count,
  error: Type.Optional(Type.String()),
};

/** `GET /health` */
export const HealthResponse = Type.Object(
  {
    status: Health,
    version: Type.String(),
    checks: Type.Record(
      Type.String(),
      Type.Object({ status: Health, message: Type.Optional(Type.String()) }),
    ),
    auth_mode: Type.String(),
    database: Type.Object({
      ...State,
      open_connections: Count,
      in_use: Count,
      idle: Count,
      wait_count: Count,
      max_open_conns: Count,
    }),
    nats: Type.Object(State),
    configuration: Type.Object({
      agents: Count,
      chains: Count,
      mcp_servers: Count,
      llm_providers: Count,
    }),
    worker_pool: Type.Optional(
      Type.Object({
        is_healthy: Type.Boolean(),
        db_reachable: Type.Boolean(),
        max_concurrent: Count,
        active_sessions: Count,
        queue_depth: Count,
        queue_depth_by_lane: Type.Object({ critical: Count, normal: Count, low: Count }),
        orphaned_sessions: Count,
        active_workers: Count,
        total_workers: Count,
        worker_stats: Type.Array(
          Type.Object({
            id: Type.String(),
            active_sessions: Count,
            last_activity: Time,
            status: Type.Literal("working"),
          }),
        ),
      }),
    ),
  },
  { title: "Health" },
);
