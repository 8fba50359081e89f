import { fork } from "node:child_process";
import { join } from "node:path";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { nextMessage } from "../support/next-message.ts";
import { untilExited } from "../support/until-exited.ts";
import { HandlerStarts } from "./handler-starts.ts";
import { startMeasuredServers } from "./start-measured-servers.ts";
import type { UnitSystem } from "./unit-system.ts";

/** The queues of other projects. */
export const PEER_NAMES = ["graphile-worker", "pg-boss", "BullMQ"] as const;
type PeerName = (typeof PEER_NAMES)[number];

const PROGRAM = join(import.meta.dirname, "peers/peer-process.ts");
/** The jobs that are stored and not completed. */
const UNFINISHED: Readonly<Record<PeerName, string>> = {
  "graphile-worker": "SELECT count(*)::int AS jobs FROM graphile_worker._private_jobs",
  "pg-boss": "SELECT count(*)::int AS jobs FROM pgboss.job WHERE state <> 'completed'",
  BullMQ: "SELECT count(*)::int AS jobs FROM bullmq.job WHERE state <> 'completed'",
};
const parseJobs = compileParser("jobs", Type.Object({ jobs: Type.Integer() }));
const parseStarts = compileParser("starts", Type.Array(Type.Tuple([Type.String(), Type.Number()])));

/** A system whose units have a handler. */
export interface QueueSystem extends UnitSystem {
  /** The starts of all handlers so far. */
  starts(): Promise<HandlerStarts>;
}

/** Starts another project's queue in a process of its own, on a Postgres of its own. Disposal stops everything. */
export async function startPeer(name: PeerName, slots: number): Promise<QueueSystem> {
  await using resources = new AsyncDisposableStack();
  const measured = resources.use(await startMeasuredServers());
  const child = fork(PROGRAM, [name, measured.servers.postgres.url, String(slots)]);
  resources.defer(async () => {
    child.kill("SIGKILL");
    await untilExited(child);
  });
  const port = Number(await nextMessage(child, name));
  const all = new HandlerStarts();
  const starts = async () => {
    const answer = nextMessage(child, name);
    child.send("starts");
    for (const [id, atNs] of parseStarts(await answer)) all.add(id, atNs);
    return all;
  };
  const owned = resources.move();
  return {
    measured,
    api: `http://127.0.0.1:${port}`,
    pids: () => [child.pid ?? 0],
    unfinished: async () => {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${name} has exited`);
      const [row] = await measured.db.rows(parseJobs, UNFINISHED[name]);
      return row?.jobs ?? 0;
    },
    starts,
    timesDone: async () => (await starts()).counts(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
