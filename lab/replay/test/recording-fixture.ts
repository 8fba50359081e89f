import { pino } from "pino";
import type { Cassette } from "#shared/cassette/cassette.ts";
import { parseCassette } from "#shared/cassette/parse-cassette.ts";
import { Orm } from "#shared/database/connection/orm.ts";
import { openDatabase } from "#shared/database/connection/open-database.ts";
import { Masker } from "#shared/masking/masker.ts";
import { pause } from "#shared/pause.ts";
import { until } from "../../../test/support/until.ts";
import { exportCassette } from "../../../services/api/cassettes/export-cassette.ts";
import type { ExecutorConfig } from "../../../services/executor/config.ts";
import { claimSession } from "../../../services/executor/claim-session.ts";
import { runSession } from "../../../services/executor/run-session.ts";
import type { ChainOptions } from "../../../services/executor/test/resolved-chain.ts";
import { SubAgentFixture } from "../../../services/executor/test/sub-agent-fixture.ts";

type Exporting = Parameters<typeof exportCassette>[0];

const log = pino({ level: "silent" });
const { signal } = new AbortController();

/** Runs sessions with real services, and exports their cassettes as the api does. */
export class RecordingFixture implements AsyncDisposable {
  readonly #resources: AsyncDisposableStack;
  readonly sub: SubAgentFixture;
  readonly #exporting: Exporting;

  private constructor(resources: AsyncDisposableStack, sub: SubAgentFixture, exporting: Exporting) {
    this.#resources = resources;
    this.sub = sub;
    this.#exporting = exporting;
  }

  static async start(): Promise<RecordingFixture> {
    await using opened = new AsyncDisposableStack();
    const sub = opened.use(await SubAgentFixture.start(["second", "third"]));
    const { url } = sub.runs.executor.servers.postgres;
    const database = { url, applicationName: "exports", poolSize: 2, log, signal };
    const db = opened.use(await openDatabase(database));
    const orm = opened.use(new Orm(database));
    const masker = opened.use(new Masker());
    const exporting = { db, orm, masker, config: { readVariable: () => "Frankfurt" } };
    return new RecordingFixture(opened.move(), sub, exporting);
  }

  get runs(): SubAgentFixture["runs"] {
    return this.sub.runs;
  }

  /** The same with a session that loses its owner at the nth write. */
  async killed(writes: number, options: ChainOptions = {}): Promise<string> {
    const id = await this.runs.executor.insert(options);
    await this.sub.loseLeaseAtWrite(id, writes);
    await this.runToEnd(id);
    return id;
  }

  /** Runs a new session until it has ended, claiming it again where its owner has lost it. */
  async session(options: ChainOptions & { alert?: string } = {}): Promise<string> {
    const id = await this.runs.executor.insert(options);
    await this.runToEnd(id);
    return id;
  }

  /** Claims a session and runs it until it has ended. */
  async runToEnd(id: string, config: Partial<ExecutorConfig> = {}): Promise<void> {
    const { deps: own } = this.runs.executor;
    const deps = { ...own, config: { ...own.config, ...config } };
    for (;;) {
      const claim = await claimSession(deps.db, id, "test-pod", {
        natsUpMs: Infinity,
        postgresCounts: false,
      });
      if (claim.kind === "over") return;
      if (claim.kind === "claimed") await runSession(deps, claim, { stop: signal, abort: signal });
      else await pause(20, signal);
    }
  }

  /** Starts a session, and cancels it once `reached` says so. */
  async cancelled(id: string, reached: () => Promise<boolean>): Promise<string> {
    const run = await this.runs.begin(id);
    await until("the session is where it is to be cancelled", reached);
    await this.runs.executor.cancel(id);
    this.runs.stop(id, "user");
    await run.end;
    await this.runToEnd(id);
    return id;
  }

  /** Waits until so many calls of the model are recorded. */
  async calls(id: string, count: number): Promise<void> {
    const sql = "SELECT 1 FROM llm_interactions WHERE session_id = $1";
    await until(`${count} calls`, async () => (await this.runs.executor.query(sql, [id])).length >= count);
  }

  /** Waits until an agent works. */
  async agents(id: string): Promise<void> {
    const sql = "SELECT 1 FROM agent_executions WHERE session_id = $1 AND status = 'active'";
    await until("an agent works", async () => (await this.runs.executor.query(sql, [id])).length > 0);
  }

  async cassette(id: string): Promise<Cassette> {
    return parseCassette(await exportCassette(this.#exporting, id, new Date()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}
