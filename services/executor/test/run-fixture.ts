import { join } from "node:path";
import { COST_SUMS, costAggregates, modelUsageAggregates } from "#shared/database/cost-sums.ts";
import { CancelledError, type CancelReason } from "#shared/errors.ts";
import { testConfigDirectory } from "../../../test/support/config-directory.ts";
import { SUMMARY_CALL } from "../../../test/support/scripts.ts";
import { until } from "../../../test/support/until.ts";
import { writeScript } from "../../../test/support/write-script.ts";
import type { ExecutorConfig } from "../config.ts";
import type { ExecutorDeps } from "../core/executor-deps.ts";
import { runSession, type RunEnd } from "../run-session.ts";
import { ExecutorFixture } from "./executor-fixture.ts";
import { GatewayProcess } from "./gateway-process.ts";
import { recountColumns } from "./recount-columns.ts";
import { TestGateway } from "./test-gateway.ts";
import { ToolRunnerFixture } from "./tool-runner-fixture.ts";

/** A running session and the signals that stop it. */
interface Run {
  readonly stop: AbortController;
  readonly abort: AbortController;
  readonly end: Promise<RunEnd>;
}

interface RunOptions {
  readonly ownServers?: boolean;
  /** Scripted providers beside `scripted`, each of which plays a script of its name. */
  readonly others?: readonly string[];
  /** `defaults.memory.embedding` of the gateway. */
  readonly embedding?: object;
}

export type RunWithTools = RunFixture & { readonly tools: ToolRunnerFixture };

/** Runs sessions in this process with a real gateway and a scripted model, and reads their rows. */
export class RunFixture<Gateway extends TestGateway = TestGateway> implements AsyncDisposable {
  readonly #resources: AsyncDisposableStack;
  readonly #configDir: string;
  readonly executor: ExecutorFixture;
  readonly gateway: Gateway;

  private constructor(parts: {
    resources: AsyncDisposableStack;
    configDir: string;
    executor: ExecutorFixture;
    gateway: Gateway;
  }) {
    this.#resources = parts.resources;
    this.#configDir = parts.configDir;
    this.executor = parts.executor;
    this.gateway = parts.gateway;
  }

  static async start(options: RunOptions = {}): Promise<RunFixture> {
    return RunFixture.#start(options, async (configDir) => TestGateway.start(configDir));
  }

  /** With the tools of a real tool-runner. */
  static async startWithTools(options: RunOptions = {}): Promise<RunWithTools> {
    const fixture = await RunFixture.start(options);
    const tools = fixture.#resources.use(await ToolRunnerFixture.start(fixture.executor.servers));
    return Object.assign(fixture, { tools });
  }

  /** For tests that kill or freeze the gateway. */
  static async startWithProcess(options: RunOptions = {}): Promise<RunFixture<GatewayProcess>> {
    return RunFixture.#start(options, async (configDir) => GatewayProcess.start(configDir));
  }

  static async #start<Gateway extends TestGateway>(
    { ownServers = false, others = [], embedding }: RunOptions,
    startGateway: (configDir: string) => Promise<Gateway>,
  ): Promise<RunFixture<Gateway>> {
    const resources = new AsyncDisposableStack();
    const provider = (name: string, script: string) =>
      [name, { type: "scripted", model: `${name}-test`, script: `${script}.yaml` }] as const;
    const llm_providers = Object.fromEntries([
      provider("scripted", "script"),
      ...others.map((name) => provider(name, name)),
    ]);
    const { path: configDir } = resources.use(
      await testConfigDirectory({
        ...(others.length === 0 ? {} : { providers: { llm_providers } }),
        ...(embedding === undefined
          ? {}
          : { tarsy: { defaults: { llm_provider: "scripted", memory: { enabled: true, embedding } } } }),
      }),
    );
    const gateway = resources.use(await startGateway(configDir));
    const executor = resources.use(await ExecutorFixture.start({ gateway: gateway.address, ownServers }));
    return new RunFixture({ resources, configDir, executor, gateway });
  }

  /** Sets the script of the model for all later calls except the summary call, which gets a fixed answer. */
  async play(...calls: object[]): Promise<void> {
    await this.playExactly(SUMMARY_CALL, ...calls);
  }

  /** Sets the script of the model for all later calls, the summary call included. */
  async playExactly(...calls: object[]): Promise<void> {
    await writeScript(join(this.#configDir, "script.yaml"), calls);
  }

  /** Claims a session and starts to run it. */
  async begin(
    id: string,
    config: Partial<ExecutorConfig> = {},
    own: Pick<ExecutorDeps, "now" | "atOnceMs"> = {},
  ): Promise<Run> {
    const [stop, abort] = [new AbortController(), new AbortController()];
    const claim = await this.executor.claim(id);
    const signals = { stop: stop.signal, abort: abort.signal };
    const { deps } = this.executor;
    const end = runSession({ ...deps, ...own, config: { ...deps.config, ...config } }, claim, signals);
    return { stop, abort, end };
  }

  /** Claims a session and runs it to its end. */
  async run(
    id: string,
    config: Partial<ExecutorConfig> = {},
    own: Pick<ExecutorDeps, "now" | "atOnceMs"> = {},
  ): Promise<RunEnd> {
    return (await this.begin(id, config, own)).end;
  }

  /** Stops a running session for this reason, as the api's messages and the timers do. */
  stop(id: string, reason: CancelReason): void {
    this.executor.deps.leases.find(id)?.stop(new CancelledError(reason, `stopped: ${reason}`));
  }

  /** Sets the script of another provider for all its later calls, the summary call included. */
  async playOn(name: string, ...calls: object[]): Promise<void> {
    await writeScript(join(this.#configDir, `${name}.yaml`), calls);
  }

  /** Type, status and content of each timeline row except the summary, by stage, agent and sequence number. */
  async timelineRows(id: string): Promise<unknown[]> {
    return this.executor.query(
      `SELECT event_type || ' ' || timeline_events.status AS row, content
       FROM timeline_events JOIN agent_executions USING (execution_id) JOIN stages ON stages.stage_id = agent_executions.stage_id
       WHERE timeline_events.session_id = $1 AND event_type <> 'executive_summary'
       ORDER BY stage_index, agent_index, sequence_number`,
      [id],
    );
  }

  /**
   * Type, kind and status of each event, in order, without those that say that another executor took over; HOLE marks a number
   * that is not contiguous.
   */
  async eventLog(id: string): Promise<unknown[]> {
    return this.executor.query(
      `SELECT concat_ws(' ', hole, payload ->> 'type', payload ->> 'event_type', payload ->> 'status') AS event
       FROM (SELECT seq, payload, CASE WHEN seq <> row_number() OVER (ORDER BY seq) THEN 'HOLE' END AS hole
             FROM events WHERE session_id = $1) numbered
       WHERE payload ->> 'type' <> 'session.taken_over' ORDER BY seq`,
      [id],
    );
  }

  /** The columns of each timeline row except the summary that no owner changes. */
  async timelineKeys(id: string): Promise<unknown[]> {
    return this.executor.query(
      `SELECT event_id, sequence_number, event_type FROM timeline_events
       WHERE session_id = $1 AND event_type <> 'executive_summary' ORDER BY sequence_number`,
      [id],
    );
  }

  /** Waits until a running session has opened `count` timeline rows. */
  async openRows(id: string, count: number): Promise<void> {
    await until(`${count} rows stream`, async () => (await this.timelineKeys(id)).length === count);
  }

  /** Status and error of the session, its stages and its executions, in this order. */
  async outcomes(id: string): Promise<unknown[]> {
    return this.executor.query(
      `SELECT status::text, error_code, error_message FROM alert_sessions WHERE session_id = $1
       UNION ALL SELECT * FROM (SELECT status::text, error_code, error_message FROM stages WHERE session_id = $1 ORDER BY stage_index) s
       UNION ALL SELECT * FROM (SELECT e.status::text, e.error_code, e.error_message FROM agent_executions e JOIN stages USING (stage_id)
                                WHERE e.session_id = $1 ORDER BY stage_index, agent_index) e`,
      [id],
    );
  }

  /** The sessions of which a counter differs from what their other rows say: none, whatever happened to them. */
  async miscounted(): Promise<unknown[]> {
    const recount = recountColumns("s");
    const counters = Object.entries(recount).map(([name, sql]) => ({ name, sql }));
    const list = (of: (counter: (typeof counters)[number]) => string) => counters.map(of).join(", ");
    return this.executor.query(
      `SELECT s.session_id, s.status, row_to_json(kept) AS kept, row_to_json(found) AS found
       FROM alert_sessions s JOIN session_runtime r USING (session_id),
       LATERAL (SELECT ${list(({ name }) => `r.${name}`)}) AS kept,
       LATERAL (SELECT ${list(({ name, sql }) => `${sql} AS ${name}`)}) AS found
       WHERE kept IS DISTINCT FROM found`,
      [],
    );
  }

  /** The executions and models of which the sums differ from what the calls say: none, whatever happened to their sessions. */
  async missummed(): Promise<unknown[]> {
    const list = (names: readonly string[], of: string) => names.map((name) => `${of}.${name}`).join(", ");
    const costs = costAggregates("i");
    const models = modelUsageAggregates("i");
    return this.executor.query(
      `SELECT 'execution' AS of, e.execution_id::text, row_to_json(found) AS found FROM agent_executions e, LATERAL (
         SELECT ${COST_SUMS.map((name) => `${costs[name]} AS ${name}`).join(", ")}
         FROM llm_interactions i WHERE i.execution_id = e.execution_id) AS found
       WHERE ROW(${list(COST_SUMS, "e")}) IS DISTINCT FROM ROW(${list(COST_SUMS, "found")})
       UNION ALL
       SELECT 'model', coalesce(u.model_name, found.model_name), row_to_json(found) FROM (
         SELECT i.session_id, i.model_name, ${Object.entries(models)
           .map(([name, sql]) => `${sql} AS ${name}`)
           .join(", ")} FROM llm_interactions i GROUP BY 1, 2) AS found
       FULL JOIN session_model_usage u USING (session_id, model_name)
       WHERE ROW(${list(Object.keys(models), "u")}) IS DISTINCT FROM ROW(${list(Object.keys(models), "found")})`,
      [],
    );
  }

  /** Throws if a session was miscounted in any of the tests. */
  async [Symbol.asyncDispose](): Promise<void> {
    const miscounted = [...(await this.miscounted()), ...(await this.missummed())];
    await this.#resources.disposeAsync();
    if (miscounted.length > 0) throw new Error(`miscounted sessions: ${JSON.stringify(miscounted)}`);
  }
}
