import { execFile } from "node:child_process";
import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Truth, World } from "#shared/worlds/world-format.ts";
import { importWorlds, type ImportReport } from "../import/import-worlds.ts";
import type { Source } from "../import/source.ts";
import { readTruth, readWorld } from "../world-files.ts";

const run = promisify(execFile);
/** Of the commit, so that it has the same name each time. */
export const COMMIT_DATE = "2026-01-02T03:04:05+00:00";

/** A repository with these files in a temporary directory; what is no text is written as JSON. */
export async function benchmarkClone(files: Readonly<Record<string, unknown>>) {
  const directory = await mkdtempDisposable(join(tmpdir(), "tarsy-benchmark-"));
  for (const [path, content] of Object.entries(files)) {
    const file = join(directory.path, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
  }
  const settings = [
    `GIT_AUTHOR_DATE=${COMMIT_DATE}`,
    `GIT_COMMITTER_DATE=${COMMIT_DATE}`,
    "GIT_CONFIG_GLOBAL=/dev/null",
  ];
  const git = async (...args: string[]) => run("env", [...settings, "git", "-C", directory.path, ...args]);
  await git("init", "--quiet");
  await git("add", "--all");
  await git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "--quiet", "--message=t");
  return directory;
}

/** What an import wrote. */
interface Imported {
  readonly report: ImportReport;
  readonly world: (name: string) => Promise<World>;
  readonly truth: (name: string) => Promise<Truth>;
}

/** Imports a clone into a directory, without compression. */
export async function importHere(
  source: Source,
  directory: string,
  out: string,
  only?: string,
): Promise<Imported> {
  const report = await importWorlds({
    source,
    directory,
    out,
    only,
    plain: true,
    progress: () => undefined,
    signal: new AbortController().signal,
  });
  const fileOf = (name: string) => join(out, source.name, `${name}.world.json`);
  return {
    report,
    world: async (name) => (await readWorld(fileOf(name))).world,
    truth: async (name) => readTruth(fileOf(name), await readWorld(fileOf(name))),
  };
}
