import pLimit from "p-limit";
import type { Database } from "#shared/database/database.ts";
import { costEstimationOf } from "#shared/agent-config/cost-estimation-of.ts";
import { maskingRulesOf } from "#shared/agent-config/masking-rules-of.ts";
import type { Logger } from "#shared/service/logger.ts";
import { secretVariable } from "#shared/service/environment.ts";
import { importCassette } from "../../replay/recording/import-cassette.ts";
import { insertWorld, insertWorldSession } from "../../replay/recording/insert-world.ts";
import { OfflineBench } from "../../replay/engine/offline-bench.ts";
import type { OfflineExecutor } from "../../replay/engine/offline-executor.ts";
import type { Configuration } from "./configurations.ts";
import { startGateway } from "./gateway.ts";

/** Runs sessions in this process, on a Postgres of its own, with the models of configuration directories. */
export interface Engine extends AsyncDisposable {
  readonly db: Database;
  /** Inserts a pending session with recorded tools, under the cassette's session id, which must be a new one. */
  insert(session: Parameters<typeof importCassette>[1]): Promise<void>;
  /** Inserts a world, unless it is there, and a pending session whose tools it answers. */
  insertInWorld(
    world: Parameters<typeof insertWorld>[1],
    session: Parameters<typeof insertWorldSession>[1],
  ): Promise<void>;
  /** The executor with the llm-gateway of a configuration, which is started when it is first asked for. */
  executorOf(configuration: Configuration): Promise<OfflineExecutor>;
}

/** Starts the database. `log` is of the sessions; by default nothing is logged. Throws LaunchError if it cannot start, and the signal's reason. */
export async function openEngine(parallel: number, signal: AbortSignal, log?: Logger): Promise<Engine> {
  await using opened = new AsyncDisposableStack();
  const bench = opened.use(await OfflineBench.open({ signal, ...(log === undefined ? {} : { log }) }));
  const executors = new Map<string, Promise<OfflineExecutor>>();
  const resources = opened.move();
  const open = async ({ path, env, config }: Configuration) => {
    const gateway = resources.use(await startGateway({ path, env }, signal));
    const executor = await bench.openExecutor({
      llmAddress: gateway.address,
      llmToken: gateway.token,
      sessions: parallel,
      signal,
      readVariable: (name) => secretVariable(env, name),
      maskingRules: maskingRulesOf(config.mcpServers),
      costEstimation: costEstimationOf(config),
      holidays: config.system.holidays,
    });
    return resources.use(executor);
  };
  // Several cells of one cassette would wait for each other in the database: its other ids are the same.
  const oneAtATime = pLimit(1);
  return {
    db: bench.db,
    insert: (session) => oneAtATime(() => importCassette(bench.db, session)),
    insertInWorld: (world, session) =>
      oneAtATime(async () => {
        await insertWorld(bench.db, world);
        await insertWorldSession(bench.db, session);
      }),
    executorOf: (configuration) => {
      const known = executors.get(configuration.path);
      if (known !== undefined) return known;
      const opening = open(configuration);
      executors.set(configuration.path, opening);
      // The next cell tries again.
      opening.catch(() => executors.delete(configuration.path));
      return opening;
    },
    [Symbol.asyncDispose]: async () => {
      // A gateway that is being started registers itself only once it is ready.
      await Promise.allSettled(executors.values());
      await resources.disposeAsync();
    },
  };
}
