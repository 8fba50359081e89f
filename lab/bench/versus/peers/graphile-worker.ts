import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { Type } from "typebox";
import { compileParser } from "../../../../shared/contracts/compile-parser.ts";
import { poolSize, type StartPeer } from "./peer.ts";

const parseJob = compileParser("job", Type.Object({ id: Type.String(), data: Type.String() }));
/** Its log line per job would cost more than the job. */
const logger = new Logger(() => () => undefined);

/**
 * graphile-worker with batches, as its page on performance recommends: a local queue of one job more than run concurrently,
 * and completions joined without a delay. Jobs are announced by LISTEN/NOTIFY.
 */
export const startGraphileWorker: StartPeer = async ({ databaseUrl, slots, handle }) => {
  const preset = {
    worker: {
      connectionString: databaseUrl,
      concurrentJobs: slots,
      maxPoolSize: poolSize(slots),
      localQueue: { size: slots + 1 },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
      logger,
    },
  };
  const utils = await makeWorkerUtils({ preset });
  await utils.migrate();
  await run({ preset, noHandleSignals: true, taskList: { job: (payload) => handle(parseJob(payload).id) } });
  return {
    enqueue: async (id, data) => {
      await utils.addJob("job", { id, data });
    },
  };
};
