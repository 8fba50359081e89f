import { createPostgresBackend, Queue, Worker } from "bullmq";
import { Type } from "typebox";
import { compileParser } from "../../../../shared/contracts/compile-parser.ts";
import { poolSize, type StartPeer } from "./peer.ts";

const QUEUE = "job";
const parseJob = compileParser("job", Type.Object({ id: Type.String(), data: Type.String() }));

/** BullMQ on its Postgres backend, with the settings of its guide. Jobs are announced by LISTEN/NOTIFY. */
export const startBullMq: StartPeer = async ({ databaseUrl, slots, handle }) => {
  const connection = { connectionString: databaseUrl, max: poolSize(slots), migrate: true };
  const queue = new Queue(QUEUE, { connection }, createPostgresBackend);
  await queue.waitUntilReady();
  const worker = new Worker(
    QUEUE,
    (job) => {
      handle(parseJob(job.data).id);
      return Promise.resolve();
    },
    { connection, concurrency: slots },
    createPostgresBackend,
  );
  worker.on("error", (error) => {
    throw error;
  });
  await worker.waitUntilReady();
  return {
    enqueue: async (id, data) => {
      await queue.add("job", { id, data });
    },
  };
};
