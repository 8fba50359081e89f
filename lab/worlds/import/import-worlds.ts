import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { errorMessage } from "#shared/errors.ts";
import { postgresSafeValue } from "#shared/postgres-safe-value.ts";
import { parseTruth, parseWorld } from "#shared/worlds/parse-world.ts";
import { sha256, worldHash } from "#shared/worlds/world-hash.ts";
import type { Truth } from "#shared/worlds/world-format.ts";
import type { Clone, ImportedCase, Source } from "./source.ts";

const run = promisify(execFile);
const packed = promisify(gzip);

interface ImportOptions {
  readonly source: Source;
  /** A clone of the source's repository. */
  readonly directory: string;
  /** Worlds are written to a directory below it that has the source's name. */
  readonly out: string;
  /** The beginning of the names of the cases, in whole parts; all by default. */
  readonly only?: string | undefined;
  /** Worlds are not compressed. */
  readonly plain: boolean;
  readonly progress: (done: number, all: number, bytes: number) => void;
  readonly signal: AbortSignal;
}

/** What an import made: `import.json`. The same clone gives the same. */
export interface ImportReport {
  readonly source: string;
  readonly repository: string;
  readonly commit: string;
  readonly importer: string;
  readonly only: string | null;
  readonly cases: number;
  readonly answers: number;
  /** How often something was left out or changed, in all cases. */
  readonly counts: Record<string, number>;
  readonly imported: Record<string, { hash: string; answers: number; counts: Record<string, number> }>;
  /** Cases that have no world, and why. */
  readonly left: Record<string, string>;
  /** Cases that could not be read, and why. */
  readonly failed: Record<string, string>;
}

/**
 * Writes the cases of a clone as worlds and truths, with NOTICE.md and import.json, one case at a time. Each file is written whole or not
 * at all; an import that was ended leaves whole worlds and is repeated. Throws an Error if the directory is no clone of the source.
 */
export async function importWorlds(options: ImportOptions): Promise<ImportReport> {
  const { source, out, only, plain, progress, signal } = options;
  const clone = await openClone(options.directory);
  const cases = await source.open(clone);
  const isChosen = (name: string) =>
    only === undefined || `${name}/`.startsWith(`${only.replace(/\/+$/u, "")}/`);
  const names = cases.names.filter(isChosen);
  if (names.length === 0) {
    const some = cases.names.slice(0, 3).join(", ");
    throw new Error(`--only ${only ?? ""} chooses no case; there are ${cases.names.length}, such as ${some}`);
  }
  const directory = join(out, source.name);
  await mkdir(directory, { recursive: true });
  const imported: ImportReport["imported"] = {};
  const failed: ImportReport["failed"] = {};
  let bytes = 0;
  for (const [at, name] of names.entries()) {
    signal.throwIfAborted();
    try {
      const written = await writeCase(await cases.read(name), join(directory, name), plain);
      bytes += written.bytes;
      imported[name] = written.entry;
    } catch (error) {
      failed[name] = errorMessage(error);
    }
    progress(at + 1, names.length, bytes);
  }
  const entries = Object.values(imported);
  const report: ImportReport = {
    source: source.name,
    repository: source.repository,
    commit: clone.commit,
    importer: source.importer,
    only: only ?? null,
    cases: entries.length,
    answers: entries.reduce((sum, { answers }) => sum + answers, 0),
    counts: sumOf(entries.map(({ counts }) => counts)),
    imported,
    left: Object.fromEntries(Object.entries(cases.left).filter(([name]) => isChosen(name))),
    failed,
  };
  await writeWhole(join(directory, "NOTICE.md"), noticeOf(source, report));
  await writeWhole(join(directory, "import.json"), jsonOf(report));
  return report;
}

/** Reads the commit with git. Throws an Error for a directory that is no clone: worlds name the commit that they come from. */
async function openClone(directory: string): Promise<Clone> {
  const gitDirectory = join(directory, ".git");
  if (!existsSync(gitDirectory)) {
    throw new Error(`${directory} has no .git: give a clone of the benchmark's repository`);
  }
  const { stdout } = await run("git", [
    `--git-dir=${gitDirectory}`,
    "log",
    "-1",
    "--no-show-signature",
    "--format=%H %cI",
  ]);
  const [commit = "", date = ""] = stdout.trim().split(" ");
  const root = await realpath(directory);
  const read = async (file: string) => {
    const path = await realpath(file);
    if (!path.startsWith(`${root}${sep}`)) {
      throw new Error(`${relative(directory, file)} is outside of the clone`);
    }
    return (await readFile(path, "utf8")).replace(/^\uFEFF/u, "");
  };
  return { directory, commit, date, read };
}

/**
 * Writes a world and its truth to `path` with their endings. Throws TerminalError `malformed` for what could not be read again, and the errors of files.
 */
export async function writeCase({ world: given, truth, counts }: ImportedCase, path: string, plain: boolean) {
  // Answers have lost before what cannot be stored, and are counted; names and arguments lose it here.
  const world = postgresSafeValue(given);
  const text = jsonOf(world);
  // What is written can be read: the format's limits hold for each source.
  parseWorld(text);
  const hash = worldHash(world);
  const whole: Truth = {
    format: "tarsy-truth",
    version: 1,
    world: world.id,
    ...truth,
    world_hash: hash,
    canary: `tarsy-truth-${sha256(`canary${world.id}`).slice(0, 16)}`,
  };
  const truthText = jsonOf(whole);
  parseTruth(truthText, { id: world.id, hash });
  const content = plain ? Buffer.from(text) : await packed(text, { level: 9 });
  await mkdir(dirname(path), { recursive: true });
  await writeWhole(`${path}.world.json${plain ? "" : ".gz"}`, content);
  await writeWhole(`${path}.truth.json`, truthText);
  // An import with the other choice left it.
  await rm(`${path}.world.json${plain ? ".gz" : ""}`, { force: true });
  return { bytes: content.length, entry: { hash, answers: world.answers.length, counts: { ...counts } } };
}

/** Writes a file whole or not at all. */
async function writeWhole(file: string, content: string | Buffer): Promise<void> {
  await writeFile(`${file}.part`, content);
  await rename(`${file}.part`, file);
}

function jsonOf(value: object): string {
  return `${JSON.stringify(value, undefined, 1)}\n`;
}

function sumOf(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const counts of all) {
    for (const [what, count] of Object.entries(counts)) sum[what] = (sum[what] ?? 0) + count;
  }
  return sum;
}

function noticeOf(source: Source, { commit, cases }: ImportReport): string {
  return `# Source of these files

${cases} worlds in the form \`tarsy-world\` 1, made of ${source.title}.

- Repository: ${source.repository}, commit ${commit}
- ${source.notice}
- Changes: \`source.changes\` of each world, and import.json.
`;
}
