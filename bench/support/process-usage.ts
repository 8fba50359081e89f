import { readFile, readdir } from "node:fs/promises";

/** Resource usage of processes with their descendants, from /proc. 1 MB is 1,000,000 bytes. */
export interface ProcessUsage {
  /** Resident memory; shared pages count in each process that maps them. */
  readonly rssMb: number;
  /** The anonymous part of the resident memory: heaps, stacks and buffers, not mapped files. */
  readonly anonMb: number;
  /** The peak of the resident memory. */
  readonly rssPeakMb: number;
  /** User and system time since the start, including children that have ended. */
  readonly cpuSeconds: number;
}

/** USER_HZ, the unit of times in /proc. */
const TICKS_PER_SECOND = 100;
const BYTES_PER_KB = 1_024;

/** The total usage of the processes and their descendants. Throws without /proc. */
export async function readUsage(pids: readonly number[]): Promise<ProcessUsage> {
  const processes = await readProcesses();
  const wanted = new Set(pids);
  // Repeat until nothing is added, since children may be listed before their parents.
  for (let size = -1; size !== wanted.size;) {
    size = wanted.size;
    for (const { pid, parent } of processes) if (wanted.has(parent)) wanted.add(pid);
  }
  const found = processes.filter(({ pid }) => wanted.has(pid));
  const memory = await Promise.all(found.map(({ pid }) => readMemory(pid)));
  return {
    rssMb: sum(memory.map(({ rss }) => rss)),
    anonMb: sum(memory.map(({ anon }) => anon)),
    rssPeakMb: sum(memory.map(({ peak }) => peak)),
    cpuSeconds: sum(found.map(({ ticks }) => ticks)) / TICKS_PER_SECOND,
  };
}

interface ProcessTimes {
  readonly pid: number;
  readonly parent: number;
  readonly ticks: number;
}

async function readProcesses(): Promise<ProcessTimes[]> {
  const names = await readdir("/proc").catch((error: unknown) => {
    throw new Error("memory and CPU time are read from /proc, which does not exist here: run this on Linux", {
      cause: error,
    });
  });
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const processes = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readProc(pid, "stat");
      if (stat === undefined) return [];
      // The name before the last parenthesis may contain anything; state, parent and so on follow.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return { pid, parent: Number(fields[1]), ticks: sum(fields.slice(11, 15).map(Number)) };
    }),
  );
  return processes.flat();
}

async function readMemory(pid: number): Promise<{ rss: number; anon: number; peak: number }> {
  const status = (await readProc(pid, "status")) ?? "";
  const megabytes = (name: string) =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0) * BYTES_PER_KB) / 1e6;
  return { rss: megabytes("VmRSS"), anon: megabytes("RssAnon"), peak: megabytes("VmHWM") };
}

/** Undefined if the process has ended. */
async function readProc(pid: number, file: string): Promise<string | undefined> {
  return readFile(`/proc/${pid}/${file}`, "utf8").catch(() => undefined);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
