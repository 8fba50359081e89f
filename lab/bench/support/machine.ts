import { availableParallelism, cpus, totalmem } from "node:os";
import type { BackingServers } from "../../../test/support/backing-servers.ts";
import type { BenchDatabase } from "./bench-database.ts";
import { percentile } from "./percentile.ts";

/** The machine and the versions of the servers that figures were measured with. */
export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly memory_mb: number;
  readonly node: string;
  readonly postgres: string;
  readonly nats: string;
  /** One durable commit on the idle machine, p50. */
  readonly commit_p50_ms: number;
}

const COMMITS = 50;

/** Describes this machine and the servers. Call it while the machine is idle. */
export async function describeMachine(servers: BackingServers, db: BenchDatabase): Promise<Machine> {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? "unknown",
    memory_mb: Math.round(totalmem() / 1e6),
    node: process.versions.node,
    postgres: await db.version(),
    nats: servers.nats.version,
    commit_p50_ms: percentile(await db.commitLatencies(COMMITS), 0.5),
  };
}
