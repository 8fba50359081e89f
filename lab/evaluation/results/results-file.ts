import { mkdir, open, readFile, rename, truncate, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import pLimit from "p-limit";

/** What a line has: a text that no other line has, but for a later one that replaces it. */
interface Keyed {
  readonly key: string;
}

/** The results of a suite's runs, one JSON document in each line, kept across runs. */
export class ResultsFile<R extends Keyed> implements AsyncDisposable {
  readonly #handle: FileHandle;
  readonly #byKey: Map<string, R>;
  readonly #oneAtATime = pLimit(1);

  private constructor(handle: FileHandle, byKey: Map<string, R>) {
    this.#handle = handle;
    this.#byKey = byKey;
  }

  /**
   * Opens the file, and creates it with its directory if need be. The line that a killed run left unfinished is removed. With
   * `fresh` the results of before are kept under another name, ending in `.old`, and none is known. `parse` reads a line.
   */
  static async open<R extends Keyed>(
    path: string,
    { fresh, parse }: { readonly fresh: boolean; readonly parse: (value: unknown) => R },
  ): Promise<ResultsFile<R>> {
    await mkdir(dirname(path), { recursive: true });
    if (fresh) await rename(path, `${path}.old`).catch(ignoreMissing);
    const byKey = await readResults(path, parse);
    return new ResultsFile(await open(path, "a", 0o600), byKey);
  }

  /** The result of an earlier run, or of this one. */
  find(key: string): R | undefined {
    return this.#byKey.get(key);
  }

  /** All results, in the order in which their keys were first stored. */
  all(): readonly R[] {
    return [...this.#byKey.values()];
  }

  /** Appends a result; once this resolves, it outlives a killed process and a power failure. */
  async add(result: R): Promise<void> {
    await this.#oneAtATime(async () => {
      await this.#handle.appendFile(`${JSON.stringify(result)}\n`);
      await this.#handle.datasync();
      this.#byKey.set(result.key, result);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#oneAtATime(() => this.#handle.close());
  }
}

/** Throws TerminalError `malformed` with the number of a whole line that is none of ours. */
async function readResults<R extends Keyed>(
  path: string,
  parse: (value: unknown) => R,
): Promise<Map<string, R>> {
  const bytes = await readFile(path).catch(ignoreMissing);
  const byKey = new Map<string, R>();
  if (bytes === undefined) return byKey;
  const end = bytes.lastIndexOf("\n") + 1;
  if (end < bytes.length) await truncate(path, end);
  const lines = bytes.subarray(0, end).toString("utf8").split("\n").slice(0, -1);
  for (const [index, line] of lines.entries()) {
    const result = parseLine(line, `${path}:${index + 1}`, parse);
    byKey.set(result.key, result);
  }
  return byKey;
}

function parseLine<R>(line: string, position: string, parse: (value: unknown) => R): R {
  try {
    return parse(JSON.parse(line));
  } catch (error) {
    const remedy = "use --fresh to keep the file under another name and begin anew";
    throw new Error(`${position}: is not what this version stores; ${remedy}`, { cause: error });
  }
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  throw error;
}
