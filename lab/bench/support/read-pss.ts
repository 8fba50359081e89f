import { readFile } from "node:fs/promises";

const BYTES_PER_KB = 1_024;

/** The memory of one process, in MB of 1,000,000 bytes. */
interface ProportionalMemory {
  /** Shared pages count in proportion to the number of processes that map them, so the sum over processes is true. */
  readonly pssMb: number;
  /** The part that no file backs: heaps, stacks and buffers. */
  readonly anonMb: number;
}

/** Reads the proportional memory of a process from /proc. Throws if the process or /proc does not exist. */
export async function readPss(pid: number): Promise<ProportionalMemory> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, "utf8");
  const megabytes = (name: string) =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1]) * BYTES_PER_KB) / 1e6;
  return { pssMb: megabytes("Pss"), anonMb: megabytes("Pss_Anon") };
}
