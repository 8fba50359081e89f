import { Client } from "pg";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { BackingServers } from "../../../test/support/backing-servers.ts";
import type { BenchDatabase } from "./bench-database.ts";

/** Statistics of one normalised statement. */
export interface StatementCount {
  readonly calls: number;
  /** Total planning time. */
  readonly planMs: number;
  /** Total execution time, including waiting for locks, without the flush of a COMMIT. */
  readonly runMs: number;
  readonly query: string;
}

const parseStatement = compileParser(
  "statement statistics",
  Type.Object({ calls: Type.Number(), plan_ms: Type.Number(), run_ms: Type.Number(), query: Type.String() }),
);
const STATEMENTS = `
SELECT sum(calls)::float8 AS calls,
       sum(total_plan_time)::float8 AS plan_ms, sum(total_exec_time)::float8 AS run_ms, query FROM pg_stat_statements
WHERE userid IN (SELECT oid FROM pg_roles WHERE rolname ~ '^tarsy') AND query NOT LIKE '%pg_stat_%' GROUP BY query ORDER BY calls DESC`;

/** Restarts Postgres so that it counts every statement. Call it before any service connects. */
export async function enableStatementCounts(servers: BackingServers): Promise<void> {
  await asAdmin(
    servers.postgres.adminUrl,
    "postgres",
    "ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'",
  );
  await asAdmin(
    servers.postgres.adminUrl,
    "postgres",
    "ALTER SYSTEM SET pg_stat_statements.track_planning = on",
  );
  await servers.stopPostgres();
  await servers.restartPostgres();
  await asAdmin(servers.postgres.adminUrl, "tarsy", "CREATE EXTENSION pg_stat_statements");
  await asAdmin(servers.postgres.adminUrl, "tarsy", "GRANT pg_read_all_stats TO tarsy");
  await asAdmin(
    servers.postgres.adminUrl,
    "tarsy",
    "GRANT EXECUTE ON FUNCTION pg_stat_statements_reset TO tarsy",
  );
}

/** Resets all counts. */
export async function resetStatementCounts(db: BenchDatabase): Promise<void> {
  await db.rows((value) => value, "SELECT pg_stat_statements_reset()");
}

/** The statements since the reset, the most frequent first. */
export async function readStatementCounts(db: BenchDatabase): Promise<StatementCount[]> {
  const rows = await db.rows(parseStatement, STATEMENTS);
  return rows.map(({ calls, plan_ms, run_ms, query }) => ({
    calls,
    planMs: plan_ms,
    runMs: run_ms,
    query: query.replaceAll(/\s+/g, " ").trim(),
  }));
}

async function asAdmin(adminUrl: string, database: string, sql: string): Promise<void> {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  const client = new Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
