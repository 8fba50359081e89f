import type { ServiceName } from "../../../test/support/tarsy-system.ts";
import { readUsage, type ProcessUsage } from "./process-usage.ts";
import type { BenchSystem } from "./start-bench-system.ts";

/** The services whose usage is reported, in the order of the data path. */
export const MEASURED_SERVICES: readonly ServiceName[] = [
  "api",
  "executor",
  "llm-gateway",
  "tool-runner",
  "notifier",
];

/** Resource usage of the whole system at one point in time; several executors count as one service. */
export interface SystemUsage {
  readonly services: ReadonlyMap<ServiceName, ProcessUsage>;
  readonly postgres: ProcessUsage;
  readonly nats: ProcessUsage;
  /** The benchmark's process, which uses the same cores. */
  readonly bench: ProcessUsage;
}

/** Reads the current usage of every service and server. */
export async function measureUsage({ servers, system }: BenchSystem): Promise<SystemUsage> {
  const services = await Promise.all(
    MEASURED_SERVICES.map(async (name) => {
      const pids = system.all(name).flatMap(({ process: { pid } }) => pid ?? []);
      return [name, await readUsage(pids)] as const;
    }),
  );
  const { user, system: kernel } = process.cpuUsage();
  const own = { rssMb: 0, anonMb: 0, rssPeakMb: 0, cpuSeconds: (user + kernel) / 1e6 };
  return {
    services: new Map(services),
    postgres: await readUsage([servers.postgres.pid]),
    nats: await readUsage([servers.nats.pid]),
    bench: own,
  };
}
