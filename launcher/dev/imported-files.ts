import { fileURLToPath } from "node:url";

/** A Node process with this variable names each module it loads to its parent, as under `node --watch`: also those of threads. */
export const REPORT_IMPORTS = { WATCH_REPORT_DEPENDENCIES: "1" } as const;

/** The files that the processes of each service have loaded. */
export class ImportedFiles {
  readonly #byService = new Map<string, Set<string>>();

  /** A new process of the service: what the one before has loaded counts no more. */
  begin(service: string): void {
    this.#byService.set(service, new Set());
  }

  /** Takes a message of the service's process; one about something else does nothing. */
  take(service: string, message: unknown): void {
    for (const url of modulesOf(message)) {
      if (url.startsWith("file:")) this.#byService.get(service)?.add(fileURLToPath(url));
    }
  }

  /** True if the service's process has loaded one of the files. */
  hasAny(service: string, files: readonly string[]): boolean {
    const loaded = this.#byService.get(service);
    return files.some((file) => loaded?.has(file));
  }
}

function modulesOf(message: unknown): readonly string[] {
  if (typeof message !== "object" || message === null) return [];
  const members = new Map<string, unknown>(Object.entries(message));
  return ["watch:import", "watch:require"].flatMap((name) => {
    const modules = members.get(name);
    return Array.isArray(modules) ? modules.filter((module) => typeof module === "string") : [];
  });
}
