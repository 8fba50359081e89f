import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { readdir, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorMessage } from "#shared/errors.ts";

const BALLAST = "ballast-";
/** File sizes in bytes; smaller files at the end fill nearly the whole disk. */
const STEPS = [1024 * 1024, 64 * 1024, 4096];

/** Small disks in memory, for the data of servers. Mounting them needs root. */
export class SmallDisks implements Disposable {
  readonly #mounts: string[] = [];

  /** Mounts a disk of `size`, as `24m`, at each of these directories. */
  mount(directory: string, sizes: Readonly<Record<string, string>>): void {
    for (const [name, size] of Object.entries(sizes)) {
      const mount = join(directory, name);
      mkdirSync(mount, { recursive: true });
      try {
        execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=0755`, "tmpfs", mount], {
          stdio: "pipe",
        });
      } catch (error) {
        throw new Error(
          `an in-memory disk cannot be mounted (${errorMessage(error)}): run this scenario as root`,
          { cause: error },
        );
      }
      this.#mounts.push(mount);
    }
  }

  [Symbol.dispose](): void {
    // The servers still use the disks: a lazy unmount removes them after the servers have stopped.
    for (const mount of this.#mounts) execFileSync("umount", ["--lazy", mount]);
  }
}

/** Whether this process may mount disks: root in a container often may not. */
export function canMountDisks(): boolean {
  const directory = mkdtempSync(join(tmpdir(), "tarsy-disk-"));
  try {
    using disks = new SmallDisks();
    disks.mount(directory, { disk: "1m" });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Fills a disk, but for less than 4 KiB. */
export async function fillDisk(directory: string): Promise<void> {
  for (const step of STEPS) {
    for (let n = 0; (await statfs(directory)).bavail * 4096 >= step; n += 1) {
      const name = `${BALLAST}${step}-${n}`;
      // A file that exists is left as it is, and the next name is tried.
      await writeFile(join(directory, name), Buffer.alloc(step), { flag: "wx" }).catch(() => undefined);
    }
  }
}

/** Removes what `fillDisk` has written. */
export async function freeDisk(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => name.startsWith(BALLAST));
  await Promise.all(names.map(async (name) => rm(join(directory, name), { force: true })));
}
