import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { stringify } from "yaml";
import { openBus, type Bus } from "#shared/bus/open-bus.ts";
import { openDatabase } from "#shared/database/connection/open-database.ts";
import { keepConfig } from "#shared/database/resolved-configs.ts";
import { textHash } from "#shared/database/text-hash.ts";
import { BackingServers } from "./backing-servers.ts";
import { spawnService } from "./spawn-service.ts";
import { testPort } from "./test-port.ts";
import { until } from "./until.ts";
import { untilReady } from "./until-ready.ts";
import type { Database } from "#shared/database/database.ts";

const log = pino({ level: "silent" });

/** A session that an executor owns, with one execution. */
export interface ClaimedSession {
  readonly sessionId: string;
  readonly executionId: string;
  readonly epoch: number;
}

/** A call that a tool started, from its log. `pid` is the process id of the tool-runner. */
interface LoggedCall {
  readonly name: string;
  readonly arguments: string;
  readonly pid: number;
}

/** Tool-runners as real processes on a real Postgres and NATS, with stub tools that log every call they start. */
export class ToolFixture implements AsyncDisposable {
  readonly #resources: AsyncDisposableStack;
  readonly #configDir: string;
  readonly #stubServers: readonly string[];
  readonly servers: BackingServers;
  readonly db: Database;
  readonly bus: Bus;
  readonly log = log;

  private constructor(parts: {
    resources: AsyncDisposableStack;
    configDir: string;
    stubServers: readonly string[];
    servers: BackingServers;
    db: Database;
    bus: Bus;
  }) {
    this.#resources = parts.resources;
    this.#configDir = parts.configDir;
    this.#stubServers = parts.stubServers;
    this.servers = parts.servers;
    this.db = parts.db;
    this.bus = parts.bus;
  }

  /** `stubServers` is the value of `servers` in stub-tools.yaml. `durable` is for servers of its own. */
  static async start(
    stubServers: object,
    { ownServers = false, durable = false } = {},
  ): Promise<ToolFixture> {
    const resources = new AsyncDisposableStack();
    const configDir = await mkdtemp(join(tmpdir(), "tarsy-tools-"));
    resources.defer(async () => rm(configDir, { recursive: true, force: true }));
    await writeFile(
      join(configDir, "stub-tools.yaml"),
      stringify({ call_log: "calls.jsonl", servers: stubServers }),
    );
    const servers = resources.use(
      ownServers ? await BackingServers.start({ durable, migrated: true }) : await BackingServers.share(),
    );
    const { signal } = new AbortController();
    const { url } = servers.postgres;
    const db = resources.use(
      await openDatabase({ url, applicationName: "bench", poolSize: 10, log, signal }),
    );
    await servers.migrate();
    // The tests also answer in the place of tool-runners.
    const bus = resources.use(await openBus({ url: servers.nats.url, name: "bench", log, signal }));
    return new ToolFixture({
      resources,
      configDir,
      stubServers: Object.keys(stubServers),
      servers,
      db,
      bus,
    });
  }

  /** Starts a tool-runner and resolves once it is ready. */
  async runner(env: Readonly<Record<string, string>> = {}): Promise<ToolRunnerProcess> {
    const healthPort = await testPort();
    const child = spawnService({
      name: "tool-runner",
      env: {
        DATABASE_URL: this.servers.postgres.serviceUrls["tool-runner"],
        ...this.servers.natsEnvironment("tool-runner"),
        CONFIG_DIR: this.#configDir,
        TOOL_RUNNER_HEALTH_PORT: String(healthPort),
        LOG_LEVEL: process.env["TEST_LOG_LEVEL"] ?? "silent",
        ...env,
      },
      output: "inherit",
    });
    const runner = this.#resources.use(new ToolRunnerProcess(child));
    await untilReady("tool-runner", child, healthPort);
    return runner;
  }

  /** A session in progress under a live lease, whose agent may use all tools unless `agent` or the rest of its `chain` says otherwise. */
  async session(agent: object = {}, chain: object = {}): Promise<ClaimedSession> {
    const config = {
      version: 1,
      ...chain,
      stages: [
        null,
        { agents: [{ iteration_strategy: "react", mcp_servers: this.#stubServers, ...agent }] },
        { agents: [] },
      ],
    };
    const [sessionId, executionId, stageId] = [randomUUID(), randomUUID(), randomUUID()];
    const json = JSON.stringify(config);
    const hash = textHash(json);
    await keepConfig(this.db, { hash, json });
    await this.db.query(
      `INSERT INTO alert_sessions (session_id, alert_data, agent_type, chain_id, config_hash, status)
       VALUES ($1, 'disk full', 'test', 'test', $2, 'in_progress')`,
      [sessionId, hash],
    );
    await this.db.query(
      `INSERT INTO session_runtime (session_id, lease_owner, lease_epoch, lease_expires_at)
       VALUES ($1, 'bench', 1, now() + interval '10 min')`,
      [sessionId],
    );
    await this.db.query(
      `INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count)
       VALUES ($1, $2, 'analysis', 1, 1)`,
      [stageId, sessionId],
    );
    await this.db.query(
      `INSERT INTO agent_executions (execution_id, stage_id, session_id, agent_name, agent_index,
         iteration_strategy, iteration_state, llm_provider)
       VALUES ($1, $2, $3, 'agent', 1, 'react', '{"iteration":1}', 'scripted')`,
      [executionId, stageId, sessionId],
    );
    return { sessionId, executionId, epoch: 1 };
  }

  /** Claims the session for another executor. */
  async takeOver(session: ClaimedSession): Promise<ClaimedSession> {
    const epoch = session.epoch + 1;
    await this.db.query("UPDATE session_runtime SET lease_epoch = $2 WHERE session_id = $1", [
      session.sessionId,
      epoch,
    ]);
    return { ...session, epoch };
  }

  /** Requests the cancellation in the database as the api does, without a message on the bus. */
  async cancel({ sessionId }: ClaimedSession): Promise<void> {
    await this.db.query("UPDATE alert_sessions SET status = 'cancelling' WHERE session_id = $1", [sessionId]);
    await this.db.query("UPDATE session_runtime SET cancel_requested_at = now() WHERE session_id = $1", [
      sessionId,
    ]);
  }

  /** Makes the runner of a running call count as dead, which otherwise takes 15 s. */
  async forgetRunner(callId: string): Promise<void> {
    await this.db.query(
      "UPDATE tool_calls SET alive_until = now() - interval '1 s' WHERE call_id = $1 AND state = 'running'",
      [callId],
    );
  }

  /** The outcome columns of a call's row. */
  async row(callId: string): Promise<unknown> {
    const rows: unknown = await this.db.query(
      "SELECT state, failure, is_error, result FROM tool_calls WHERE call_id = $1",
      [callId],
    );
    return Array.isArray(rows) ? rows[0] : undefined;
  }

  /** All calls started by any tool whose arguments contain `text`. */
  async started(text: string): Promise<LoggedCall[]> {
    const file = join(this.#configDir, "calls.jsonl");
    const lines = (await readFile(file, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
    return lines.map(parseLogged).filter((call) => call.arguments.includes(text));
  }

  /** Waits until a call with these arguments has started. */
  async untilStarted(text: string): Promise<LoggedCall> {
    return until(`a call with ${text} has started`, async () => (await this.started(text))[0]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}

function parseLogged(line: string): LoggedCall {
  const value: unknown = JSON.parse(line);
  if (typeof value !== "object" || value === null) throw new Error(`invalid line in the call log: ${line}`);
  const fields: Record<string, unknown> = { ...value };
  return {
    name: String(fields["name"]),
    arguments: String(fields["arguments"]),
    pid: Number(fields["pid"]),
  };
}

/** A tool-runner as a process. */
class ToolRunnerProcess implements AsyncDisposable {
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    this.#child = child;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Sends a signal and resolves with the exit code once the process has ended. */
  async end(signal: "SIGTERM" | "SIGKILL"): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const gone = once(this.#child, "exit");
      this.#child.kill(signal);
      await gone;
    }
    return this.#child.exitCode;
  }

  freeze(): void {
    this.#child.kill("SIGSTOP");
  }

  thaw(): void {
    this.#child.kill("SIGCONT");
  }

  /** The peak of its resident memory, in bytes. */
  async peakMemory(): Promise<number> {
    const status = await readFile(`/proc/${this.pid}/status`, "utf8");
    return Number(/VmHWM:\s+(\d+) kB/u.exec(status)?.[1]) * 1024;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end("SIGKILL");
  }
}
