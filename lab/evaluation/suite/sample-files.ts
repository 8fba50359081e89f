import { createHash } from "node:crypto";
import { dirname, relative } from "node:path";

/** What of a suite's worlds is run. */
interface Sample {
  readonly size: number;
  readonly seed: number;
  /** Draws from each folder in proportion to its files: importers put the worlds of a category into one folder. */
  readonly isByFolder: boolean;
}

/**
 * Draws files at random; the same for equal names below `directory` and an equal seed. A category is a folder, because the file that says it
 * is what may not be read before the session has ended.
 */
export function sampleFiles(
  files: readonly string[],
  directory: string,
  { size, seed, isByFolder }: Sample,
): Set<string> {
  const drawn = (file: string) =>
    createHash("sha256")
      .update(`${seed} ${relative(directory, file)}`)
      .digest("hex");
  const folders = Map.groupBy(files, (file) => (isByFolder ? dirname(file) : ""));
  const placed = [...folders.values()].flatMap((own) => {
    const inOrder = own.map((file) => ({ file, by: drawn(file) })).toSorted((a, b) => (a.by < b.by ? -1 : 1));
    return inOrder.map((one, index) => ({ ...one, place: (index + 0.5) / own.length }));
  });
  const inOrder = placed.toSorted((a, b) => a.place - b.place || (a.by < b.by ? -1 : 1));
  return new Set(inOrder.slice(0, size).map(({ file }) => file));
}
