import { basename, dirname, join, relative, sep } from "node:path";
import { errorMessage } from "#shared/errors.ts";
import type { SupervisedService } from "../supervisor/supervise-service.ts";
import type { ImportedFiles } from "./imported-files.ts";

/** The effects that a change may have, beside restarts. */
export type ChangeActions = {
  /** Throws a report of every error in the configuration. */
  readonly checkConfiguration: () => Promise<unknown>;
  /** Brings the database's schema to that of the sources; throws if that fails. */
  readonly migrate: () => Promise<void>;
  /** Builds the page unless it is up to date; prints what is wrong, and resolves with false then. */
  readonly buildPage: () => Promise<boolean>;
  readonly progress: (line: string) => void;
};

type RestartOptions = ChangeActions & {
  readonly services: readonly SupervisedService[];
  readonly imported: ImportedFiles;
  readonly root: string;
  readonly servicesDir: string;
  readonly configDir: string;
};

/** The file that reads a file of the configuration: who imports it reads that at its start. Scripts are read with each call. */
const READERS: Readonly<Record<string, readonly string[]>> = {
  "tarsy.yaml": ["shared/agent-config/load-agent-config.ts"],
  "llm-providers.yaml": [
    "shared/agent-config/load-agent-config.ts",
    "shared/agent-config/load-llm-providers.ts",
  ],
  "stub-tools.yaml": ["services/tool-runner/stub/load-stub-tools.ts"],
  "tool-runner.env": ["services/tool-runner/config.ts"],
};
/** Checked before the services that read them are restarted. */
const CHECKED = new Set(["tarsy.yaml", "llm-providers.yaml", "stub-tools.yaml"]);
/** The thread that masks gets no environment, so it does not name its files; who imports the first runs it. */
const MASKER = join("shared", "masking", "masker.ts");
const MASKING_THREAD = join("shared", "masking", "worker");
const CODE = /\.(?:m?[jt]s|json)$/u;

/** Restarts the services that a change concerns: one batch of changed files after the other. */
export class RestartChanged {
  readonly #options: RestartOptions;
  #last: Promise<void> = Promise.resolve();

  constructor(options: RestartOptions) {
    this.#options = options;
  }

  /** Takes the absolute paths of files that changed together. */
  take(files: readonly string[]): void {
    this.#last = this.#last.then(async () => this.#apply(files));
  }

  /** Resolves once all changes so far have led to what they lead to. */
  async idle(): Promise<void> {
    await this.#last;
  }

  async #apply(files: readonly string[]): Promise<void> {
    try {
      const page = this.#buildPage(files);
      await this.#migrate(files);
      await this.#restartReaders(files);
      const code = files.filter((path) => CODE.test(path) && !this.#isOfPage(path));
      const importable = this.#withMasker(code);
      this.#restart(code, ({ name }) => this.#options.imported.hasAny(name, importable));
      await page;
    } catch (error) {
      this.#options.progress(errorMessage(error));
    }
  }

  #withMasker(files: readonly string[]): readonly string[] {
    const { root } = this.#options;
    const hasThread = files.some((path) => dirname(path) === join(root, MASKING_THREAD));
    return hasThread ? [...files, join(root, MASKER)] : files;
  }

  #isOfPage(path: string): boolean {
    return path.startsWith(join(this.#options.servicesDir, "web") + sep);
  }

  /** The build itself finds out whether it needs a shared file. */
  async #buildPage(files: readonly string[]): Promise<void> {
    const { root, buildPage, progress } = this.#options;
    const shared = join(root, "shared") + sep;
    const isOwn = files.some((path) => this.#isOfPage(path));
    if (!isOwn && !files.some((path) => path.startsWith(shared))) return;
    const isBuilt = await buildPage();
    if (isOwn && isBuilt) progress("the page is built: reload it in the browser");
  }

  /** The services wait at their start for a schema that they know. */
  async #migrate(files: readonly string[]): Promise<void> {
    const { root, servicesDir, migrate, progress } = this.#options;
    const folders = [join(root, "shared", "database"), join(servicesDir, "migrate")];
    const isOfSchema = files.some(
      (path) => CODE.test(path) && folders.some((folder) => path.startsWith(folder + sep)),
    );
    if (isOfSchema) await migrate().catch((error: unknown) => progress(errorMessage(error)));
  }

  async #restartReaders(files: readonly string[]): Promise<void> {
    const { configDir, root, imported, checkConfiguration, progress } = this.#options;
    const names = files.filter((path) => dirname(path) === configDir).map((path) => basename(path));
    if (names.includes(".env")) {
      progress(
        `${join(configDir, ".env")} changed: it is read when TARSy starts; press Ctrl-C and start again`,
      );
    }
    const changed = names.filter((name) => READERS[name] !== undefined);
    if (changed.some((name) => CHECKED.has(name))) {
      try {
        await checkConfiguration();
      } catch (error) {
        progress(`the services keep the configuration they have: ${errorMessage(error)}`);
        return;
      }
    }
    const readers = changed.flatMap((name) => READERS[name] ?? []).map((file) => join(root, file));
    const paths = changed.map((name) => join(configDir, name));
    this.#restart(paths, ({ name }) => imported.hasAny(name, readers));
  }

  /** A service that does not start may lack a file that it could not import, so any change may help it. */
  #restart(files: readonly string[], concerns: (service: SupervisedService) => boolean): void {
    const [first] = files;
    if (first === undefined) return;
    const others = files.length === 1 ? "" : ` and ${files.length - 1} more`;
    const cause = `${relative(this.#options.root, first)}${others} changed`;
    for (const service of this.#options.services) {
      if (service.waitsForRestart() || concerns(service)) service.restart(cause);
    }
  }
}
