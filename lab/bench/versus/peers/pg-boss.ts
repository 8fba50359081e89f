import { PgBoss } from "pg-boss";
import { poolSize, type StartPeer } from "./peer.ts";

const QUEUE = "job";

/**
 * pg-boss with LISTEN/NOTIFY for low latency, and a worker that fetches batches without a pause while they are full, as its
 * documentation recommends for each.
 */
export const startPgBoss: StartPeer = async ({ databaseUrl, slots, handle }) => {
  const boss = new PgBoss({ connectionString: databaseUrl, useListenNotify: true, max: poolSize(slots) });
  boss.on("error", (error) => {
    throw error;
  });
  await boss.start();
  await boss.createQueue(QUEUE, { notify: true });
  const polling = { batchSize: slots, burstWhenBatchFull: true, notifyPollingIntervalSeconds: 0.5 };
  await boss.work<{ id: string; data: string }>(
    QUEUE,
    { ...polling, pollingIntervalSeconds: 0.5 },
    (jobs) => {
      for (const job of jobs) handle(job.data.id);
      return Promise.resolve();
    },
  );
  return {
    enqueue: async (id, data) => {
      await boss.send(QUEUE, { id, data });
    },
  };
};
