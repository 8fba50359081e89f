import { Client } from "pg";
import { Type, type Static, type TSchema } from "typebox";
import { compileParser, type ValueParser } from "#shared/contracts/compile-parser.ts";

/** Counters of Postgres; only differences are meaningful. */
export interface DatabaseCounters {
  /** Transactions that wrote; exact. */
  readonly writeTransactions: number;
  /** All committed transactions, including read-only ones. Connections report up to a second late. */
  readonly committedTransactions: number;
  readonly walBytes: number;
}

/** Times of a set of sessions by the clock of Postgres, between the starts of the transactions that wrote them. */
export interface SessionTimes {
  readonly completed: number;
  /** From the first acceptance to the last completion. */
  readonly seconds: number;
  readonly acceptedToCompletedP50Ms: number;
  readonly acceptedToCompletedP99Ms: number;
  readonly startedToCompletedP50Ms: number;
  readonly startedToCompletedP99Ms: number;
}

const parseCounters = compileParser(
  "database counters",
  Type.Object({ write: Type.Number(), committed: Type.Number(), wal: Type.Number() }),
);
const COUNTERS = `
SELECT pg_snapshot_xmax(pg_current_snapshot())::text::float8 AS write,
       xact_commit::float8 AS committed,
       (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 AS wal
FROM pg_stat_database WHERE datname = current_database()`;

const parseTimes = compileParser(
  "session times",
  Type.Object({
    completed: Type.Integer(),
    seconds: Type.Number(),
    accepted_p50: Type.Number(),
    accepted_p99: Type.Number(),
    started_p50: Type.Number(),
    started_p99: Type.Number(),
  }),
);
const TIMES = `
WITH timed AS (
  SELECT status, created_at, completed_at,
         extract(epoch FROM completed_at - created_at)::float8 * 1000 AS accepted,
         extract(epoch FROM completed_at - started_at)::float8 * 1000 AS started
  FROM alert_sessions WHERE session_id = ANY($1::uuid[])
)
SELECT count(*) FILTER (WHERE status = 'completed')::int AS completed,
       extract(epoch FROM max(completed_at) - min(created_at))::float8 AS seconds,
       percentile_disc(0.50) WITHIN GROUP (ORDER BY accepted) AS accepted_p50,
       percentile_disc(0.99) WITHIN GROUP (ORDER BY accepted) AS accepted_p99,
       percentile_disc(0.50) WITHIN GROUP (ORDER BY started) AS started_p50,
       percentile_disc(0.99) WITHIN GROUP (ORDER BY started) AS started_p99
FROM timed`;

const parseUnfinished = compileParser("unfinished sessions", Type.Object({ unfinished: Type.Integer() }));
const UNFINISHED = `
SELECT count(*)::int AS unfinished FROM alert_sessions WHERE status IN ('pending', 'in_progress', 'cancelling')`;

const parseVersion = compileParser("server version", Type.Object({ server_version: Type.String() }));

/** The benchmark's connection to the database of the measured system. */
export class BenchDatabase implements AsyncDisposable {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  static async open(url: string): Promise<BenchDatabase> {
    const client = new Client({ connectionString: url, application_name: "tarsy-bench" });
    // After a broken connection the next query fails.
    client.on("error", () => undefined);
    await client.connect();
    return new BenchDatabase(client);
  }

  /** The parsed rows of a statement. */
  async rows<S extends TSchema>(
    parse: ValueParser<S>,
    sql: string,
    parameters: readonly unknown[] = [],
  ): Promise<Static<S>[]> {
    const { rows }: { rows: unknown[] } = await this.#client.query(sql, [...parameters]);
    return rows.map((row) => parse(row));
  }

  async version(): Promise<string> {
    const { server_version } = await this.#one(parseVersion, "SHOW server_version", []);
    return server_version;
  }

  async counters(): Promise<DatabaseCounters> {
    const { write, committed, wal } = await this.#one(parseCounters, COUNTERS, []);
    return { writeTransactions: write, committedTransactions: committed, walBytes: wal };
  }

  /** The number of sessions that have not ended. */
  async unfinishedSessions(): Promise<number> {
    return (await this.#one(parseUnfinished, UNFINISHED, [])).unfinished;
  }

  /** The times of sessions that have ended. */
  async sessionTimes(sessionIds: readonly string[]): Promise<SessionTimes> {
    const times = await this.#one(parseTimes, TIMES, [sessionIds]);
    return {
      completed: times.completed,
      seconds: times.seconds,
      acceptedToCompletedP50Ms: times.accepted_p50,
      acceptedToCompletedP99Ms: times.accepted_p99,
      startedToCompletedP50Ms: times.started_p50,
      startedToCompletedP99Ms: times.started_p99,
    };
  }

  /** Milliseconds of each of `count` small durable commits in sequence. */
  async commitLatencies(count: number): Promise<number[]> {
    const latencies = [];
    for (let index = 0; index < count; index++) {
      const startedAt = performance.now();
      await this.#client.query("SELECT pg_logical_emit_message(true, 'tarsy-bench', 'commit')");
      latencies.push(performance.now() - startedAt);
    }
    return latencies;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end();
  }

  async #one<S extends TSchema>(
    parse: ValueParser<S>,
    sql: string,
    parameters: readonly unknown[],
  ): Promise<Static<S>> {
    const [row] = await this.rows(parse, sql, parameters);
    if (row === undefined) throw new Error("the query returned no row");
    return row;
  }
}
