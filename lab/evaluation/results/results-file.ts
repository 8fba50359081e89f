import { mkdir, open, readFile, rename, truncate, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import pLimit from "p-limit";
import { parseCellResult, type CellResult } from "./cell-result.ts";

/** The results of a suite's runs, one JSON document in each line, kept across runs. */
export class ResultsFile implements AsyncDisposable {
  readonly #handle: FileHandle;
  readonly #byKey: Map<string, CellResult>;
  readonly #oneAtATime = pLimit(1);

  private constructor(handle: FileHandle, byKey: Map<string, CellResult>) {
    this.#handle = handle;
    this.#byKey = byKey;
  }

  /**
   * Opens the file, and creates it with its directory if need be. The line that a killed run left unfinished is removed. With
   * `fresh` the results of before are kept under another name, ending in `.old`, and none is known.
   */
  static async open(path: string, { fresh }: { readonly fresh: boolean }): Promise<ResultsFile> {
    await mkdir(dirname(path), { recursive: true });
    if (fresh) await rename(path, `${path}.old`).catch(ignoreMissing);
    const byKey = await readResults(path);
    return new ResultsFile(await open(path, "a", 0o600), byKey);
  }

  /** The result of a cell of an earlier run, or of this one. */
  find(key: string): CellResult | undefined {
    return this.#byKey.get(key);
  }

  /** Appends a result; once this resolves, it outlives a killed process and a power failure. */
  async add(result: CellResult): Promise<void> {
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
async function readResults(path: string): Promise<Map<string, CellResult>> {
  const bytes = await readFile(path).catch(ignoreMissing);
  const byKey = new Map<string, CellResult>();
  if (bytes === undefined) return byKey;
  const end = bytes.lastIndexOf("\n") + 1;
  if (end < bytes.length) await truncate(path, end);
  const lines = bytes.subarray(0, end).toString("utf8").split("\n").slice(0, -1);
  for (const [index, line] of lines.entries()) {
    const result = parseLine(line, `${path}:${index + 1}`);
    byKey.set(result.key, result);
  }
  return byKey;
}

function parseLine(line: string, position: string): CellResult {
  try {
    return parseCellResult(JSON.parse(line));
  } catch (error) {
    const remedy = "use --fresh to keep the file under another name and begin anew";
    throw new Error(`${position}: is not a result of a cell; ${remedy}`, { cause: error });
  }
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  throw error;
}
