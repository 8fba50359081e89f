import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";

/** The list that `services/web/build-page.ts` writes beside the files. */
const Manifest = Type.Object({
  files: Type.Array(
    Type.Object({
      path: Type.String({ pattern: "^/(?:index\\.html|assets/[\\w.-]+)$" }),
      type: Type.String(),
      hash: Type.String({ pattern: "^[0-9a-f]+$" }),
    }),
  ),
});
const parseManifest = compileParser("manifest of the page", Manifest);

/** A file of the page in each form in which it is sent. */
export interface PageFile extends Readonly<Static<typeof Manifest>["files"][number]> {
  readonly content: Readonly<Record<"identity" | "gzip" | "br", Buffer>>;
}

type Files = ReadonlyMap<string, PageFile>;

/** The built page, in memory: small, and no path of a request ever names a file. */
export class PageFiles {
  readonly #directory: string;
  #version: string | undefined;
  #files: Files = new Map();
  /** Those of the build before, which a page that is open may still ask for. */
  #former: Files = new Map();
  #reading: Promise<void> | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The page itself, of the newest build; undefined while there is none. */
  async index(): Promise<PageFile | undefined> {
    // A build may replace the page while the api runs, as `npm start` does.
    await (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)));
    return this.#files.get("/index.html");
  }

  /** A file that the page names. */
  async asset(path: string): Promise<PageFile | undefined> {
    if (this.#files.size === 0) await this.index();
    return this.#files.get(path) ?? this.#former.get(path);
  }

  async #read(): Promise<void> {
    try {
      const manifest = join(this.#directory, "manifest.json");
      const { mtimeMs, ino } = await stat(manifest);
      const version = `${mtimeMs} ${ino}`;
      if (version === this.#version) return;
      const decoded: unknown = JSON.parse(await readFile(manifest, "utf8"));
      const { files } = parseManifest(decoded);
      const read = await Promise.all(files.map(async (file) => this.#load(file)));
      this.#former = this.#files;
      this.#files = new Map(read.map((file) => [file.path, file]));
      this.#version = version;
    } catch {
      // Not built, or a build replaces it at this moment: the files that were read before stay.
    }
  }

  async #load(file: Static<typeof Manifest>["files"][number]): Promise<PageFile> {
    const path = join(this.#directory, file.path);
    const [identity, gzip, br] = await Promise.all([
      readFile(path),
      readFile(`${path}.gz`),
      readFile(`${path}.br`),
    ]);
    return { ...file, content: { identity, gzip, br } };
  }
}
