import { type FSWatcher, readdirSync, statSync, watch } from "node:fs";
import { join } from "node:path";

type WatchFiles = {
  /** Absolute paths of directories; those that do not exist are left out. */
  readonly roots: readonly string[];
  /** Gets the absolute paths of files that were written, created or deleted, once no more follow. */
  readonly onChange: (files: readonly string[]) => void;
  /** A burst of changes ends when none came for as long. */
  readonly quietMs?: number;
};

/** Matches paths that are built, installed, kept by tools or only tested. */
const SKIPPED = /^(?:node_modules|test|dist|dist\.\d+|\.(?!env$).*)$/u;

/**
 * Watches directories with all below them until it is disposed of. Watches directories instead of files: an editor may
 * replace a file by another one of the same name. `fs.watch` with `recursive` is not used: on Linux it loses such files.
 */
export function watchFiles({ roots, onChange, quietMs = 100 }: WatchFiles): Disposable {
  const watchers = new Map<string, FSWatcher>();
  const versions = new Map<string, string | undefined>();
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const report = (): void => {
    const files = [...changed];
    changed.clear();
    onChange(files);
  };
  const notice = (path: string): void => {
    // Also permissions and links change.
    const version = versionOf(path);
    if (versions.get(path) === version) return;
    versions.set(path, version);
    changed.add(path);
    clearTimeout(timer);
    timer = setTimeout(report, quietMs);
  };
  const close = (directory: string): void => {
    watchers.get(directory)?.close();
    watchers.delete(directory);
  };
  const add = (directory: string, onFile: (path: string) => void): void => {
    if (watchers.has(directory)) return;
    const watcher = watch(directory, (_event, name) => {
      if (name === null || SKIPPED.test(name)) return;
      const path = join(directory, name);
      if (!isDirectory(path)) {
        notice(path);
        return;
      }
      try {
        // Its files may have been written before it was watched.
        add(path, notice);
      } catch (error) {
        // It may be gone again: a tool's own, for a moment.
        if (isDirectory(path)) throw error;
      }
    });
    watcher.on("error", () => close(directory));
    watchers.set(directory, watcher);
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (SKIPPED.test(entry.name)) continue;
      const path = join(directory, entry.name);
      if (entry.isDirectory()) add(path, onFile);
      else onFile(path);
    }
  };
  for (const root of roots) {
    if (isDirectory(root)) add(root, (path) => versions.set(path, versionOf(path)));
  }
  return {
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      for (const directory of watchers.keys()) close(directory);
    },
  };
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Undefined for a file that does not exist. */
function versionOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
}
