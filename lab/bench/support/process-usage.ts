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
  const found = await processTree(pids);
  const memory = await Promise.all(found.map(({ pid }) => readMemory(pid)));
  return {
    rssMb: sum(memory.map(({ rss }) => rss)),
    anonMb: sum(memory.map(({ anon }) => anon)),
    rssPeakMb: sum(memory.map(({ peak }) => peak)),
    cpuSeconds: sum(found.map(({ ticks }) => ticks)) / TICKS_PER_SECOND,
  };
}

/** One process; times are in ticks. */
interface ProcessTimes {
  readonly pid: number;
  readonly parent: number;
  /** Its own time and that of the children that have ended. */
  readonly ticks: number;
  readonly endedChildrenTicks: number;
}

/**
 * The CPU time of the processes and their descendants, in seconds. More precise than `readUsage`, whose ticks of 10 ms are too
 * coarse for a short load: the running threads count by the nanosecond. Threads that have ended do not count.
 */
export async function readCpuSeconds(pids: readonly number[]): Promise<number> {
  const times = await Promise.all(
    (await processTree(pids)).map(async ({ pid, ticks, endedChildrenTicks }) => {
      const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
      const stats = await Promise.all(threads.map((thread) => readProc(pid, `task/${thread}/schedstat`)));
      const nanoseconds = sum(stats.map((stat) => Number(stat?.split(" ")[0] ?? 0)));
      // Without statistics of the scheduler the ticks are all there is.
      if (nanoseconds === 0) return ticks / TICKS_PER_SECOND;
      return nanoseconds / 1e9 + endedChildrenTicks / TICKS_PER_SECOND;
    }),
  );
  return sum(times);
}

async function processTree(pids: readonly number[]): Promise<ProcessTimes[]> {
  const processes = await readProcesses();
  const wanted = new Set(pids);
  // Repeat until nothing is added, since children may be listed before their parents.
  for (let size = -1; size !== wanted.size;) {
    size = wanted.size;
    for (const { pid, parent } of processes) if (wanted.has(parent)) wanted.add(pid);
  }
  return processes.filter(({ pid }) => wanted.has(pid));
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
      const [own, ended] = [sum(fields.slice(11, 13).map(Number)), sum(fields.slice(13, 15).map(Number))];
      return { pid, parent: Number(fields[1]), ticks: own + ended, endedChildrenTicks: ended };
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
