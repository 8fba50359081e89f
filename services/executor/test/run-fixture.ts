import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { testConfigDirectory } from "../../../test/support/config-directory.ts";
import { SUMMARY_CALL } from "../../../test/support/scripts.ts";
import { until } from "../../../test/support/until.ts";
import { runSession, type RunEnd } from "../run-session.ts";
import { ExecutorFixture } from "./executor-fixture.ts";
import { GatewayProcess } from "./gateway-process.ts";

/** A running session and the signals that stop it. */
interface Run {
  readonly stop: AbortController;
  readonly abort: AbortController;
  readonly end: Promise<RunEnd>;
}

/** Runs sessions in this process with a real gateway and a scripted model, and reads their rows. */
export class RunFixture implements AsyncDisposable {
  readonly #resources: AsyncDisposableStack;
  readonly #configDir: string;
  readonly executor: ExecutorFixture;
  readonly gateway: GatewayProcess;

  private constructor(parts: {
    resources: AsyncDisposableStack;
    configDir: string;
    executor: ExecutorFixture;
    gateway: GatewayProcess;
  }) {
    this.#resources = parts.resources;
    this.#configDir = parts.configDir;
    this.executor = parts.executor;
    this.gateway = parts.gateway;
  }

  /** `others`: scripted providers beside `scripted`, each of which plays a script of its name. */
  static async start({
    ownServers = false,
    others = [],
  }: { readonly ownServers?: boolean; readonly others?: readonly string[] } = {}): Promise<RunFixture> {
    const resources = new AsyncDisposableStack();
    const provider = (name: string, script: string) =>
      [name, { type: "scripted", model: `${name}-test`, script: `${script}.yaml` }] as const;
    const llm_providers = Object.fromEntries([
      provider("scripted", "script"),
      ...others.map((name) => provider(name, name)),
    ]);
    const { path: configDir } = resources.use(
      await testConfigDirectory(others.length === 0 ? {} : { providers: { llm_providers } }),
    );
    const gateway = resources.use(await GatewayProcess.start(configDir));
    const executor = resources.use(await ExecutorFixture.start({ gateway: gateway.address, ownServers }));
    return new RunFixture({ resources, configDir, executor, gateway });
  }

  /** Sets the script of the model for all later calls except the summary call, which gets a fixed answer. */
  async play(...calls: object[]): Promise<void> {
    await this.playExactly(SUMMARY_CALL, ...calls);
  }

  /** Sets the script of the model for all later calls, the summary call included. */
  async playExactly(...calls: object[]): Promise<void> {
    await writeFile(join(this.#configDir, "script.yaml"), stringify({ calls }));
  }

  /** Claims a session and starts to run it. */
  async begin(id: string): Promise<Run> {
    const [stop, abort] = [new AbortController(), new AbortController()];
    const claim = await this.executor.claim(id);
    const signals = { stop: stop.signal, abort: abort.signal };
    return { stop, abort, end: runSession(this.executor.deps, claim, signals) };
  }

  /** Claims a session and runs it to its end. */
  async run(id: string): Promise<RunEnd> {
    return (await this.begin(id)).end;
  }

  /** Sets the script of another provider for all its later calls, the summary call included. */
  async playOn(name: string, ...calls: object[]): Promise<void> {
    await writeFile(join(this.#configDir, `${name}.yaml`), stringify({ calls }));
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

  /** Type, kind and status of each event, in order; HOLE marks a number that is not contiguous. */
  async eventLog(id: string): Promise<unknown[]> {
    return this.executor.query(
      `SELECT concat_ws(' ', CASE WHEN seq <> row_number() OVER (ORDER BY seq) THEN 'HOLE' END,
                        payload ->> 'type', payload ->> 'event_type', payload ->> 'status') AS event
       FROM events WHERE session_id = $1 ORDER BY seq`,
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

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}
