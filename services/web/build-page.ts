import { createHash } from "node:crypto";
import { glob, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, extname, join, relative } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build, type Metafile } from "esbuild";

const WEB = import.meta.dirname;
const PROJECT = join(WEB, "../..");
const TARGET = ["chrome123", "firefox120", "safari17.5"];
const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".html": "text/html; charset=utf-8",
  ".woff2": "font/woff2",
};

/** A file of the page by its address; `services/api/page` serves these and no others. */
interface BuiltFile {
  readonly path: string;
  readonly type: string;
  /** Names the content. */
  readonly hash: string;
}

function hashOf(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("hex").slice(0, 16);
}

/** The files of the page itself, without tests and what was built. */
async function ownFiles(): Promise<readonly string[]> {
  const files: string[] = [];
  const isOther = (name: string) => name === "dist" || name === "test";
  for await (const entry of glob("**/*", {
    cwd: WEB,
    withFileTypes: true,
    exclude: ({ name }) => isOther(name),
  })) {
    if (entry.isFile()) files.push(join(entry.parentPath, entry.name));
  }
  return files.sort();
}

/** Names the content of everything that the page is made of. */
async function hashSources(): Promise<string> {
  const sources = [...(await ownFiles()), join(PROJECT, "package-lock.json")];
  for await (const file of glob(["shared/*.ts", "shared/{client,contracts}/*.ts"], { cwd: PROJECT })) {
    sources.push(join(PROJECT, file));
  }
  const hash = createHash("sha256");
  for (const source of sources.sort()) {
    hash.update(`${relative(PROJECT, source)}\0${hashOf(await readFile(source))}\n`);
  }
  return hash.digest("hex").slice(0, 32);
}

/** Bundles the scripts: the entry, and one file for each screen that is loaded when it is opened. */
async function bundleScripts() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: PROJECT,
    entryPoints: [join(WEB, "main.tsx")],
    bundle: true,
    splitting: true,
    format: "esm",
    minify: true,
    write: false,
    target: TARGET,
    // Styles are bundled apart: those of the first screen, and those of all that is loaded later.
    loader: { ".css": "empty" },
    jsx: "automatic",
    jsxImportSource: "preact",
    outdir: WEB,
    metafile: true,
    entryNames: "assets/[name]-[hash]",
    chunkNames: "assets/[name]-[hash]",
    legalComments: "none",
    logLevel: "silent",
  });
  return {
    scripts: new Map(outputFiles.map(({ path, contents }) => [relative(WEB, path), contents])),
    metafile,
  };
}

/** The files that the entry imports at once, directly or over others. */
function importedAtOnce({ inputs }: Metafile): ReadonlySet<string> {
  const reached = new Set<string>();
  const reach = (path: string) => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const { path: next, kind } of inputs[path]?.imports ?? []) {
      if (kind === "import-statement") reach(next);
    }
  };
  reach(relative(PROJECT, join(WEB, "main.tsx")));
  return reached;
}

/** A sheet with the fonts that it names. */
interface BuiltSheet {
  readonly path: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly metafile: Metafile;
}

/** Bundles the styles of the first screen (the tokens, what applies everywhere, the components), and apart those of what is loaded later. */
async function bundleStyles(metafile: Metafile): Promise<{ first: BuiltSheet; later: BuiltSheet }> {
  const atOnce = importedAtOnce(metafile);
  const sheets = (await ownFiles()).filter((file) => file.endsWith(".css"));
  const everywhere = ["styles/tokens.css", "styles/base.css"].map((file) => join(WEB, file));
  const own = sheets.filter((file) => !everywhere.includes(file));
  const isFirst = (file: string) => atOnce.has(relative(PROJECT, file));
  const [first, later] = await Promise.all([
    bundleSheets("styles", [...everywhere, ...own.filter(isFirst)]),
    bundleSheets(
      "later-styles",
      own.filter((file) => !isFirst(file)),
    ),
  ]);
  return { first, later };
}

async function bundleSheets(name: string, sheets: readonly string[]): Promise<BuiltSheet> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: PROJECT,
    stdin: {
      contents: sheets.map((file) => `@import ${JSON.stringify(file)};`).join("\n"),
      loader: "css",
      resolveDir: WEB,
    },
    bundle: true,
    minify: true,
    write: false,
    target: TARGET,
    loader: { ".woff2": "file" },
    outdir: WEB,
    publicPath: "/",
    metafile: true,
    entryNames: `assets/${name}-[hash]`,
    assetNames: "assets/[name]-[hash]",
    logLevel: "silent",
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [relative(WEB, path), contents]));
  const path = [...files.keys()].find((file) => file.endsWith(".css"));
  if (path === undefined) throw new Error("esbuild wrote no styles");
  return { path, files, metafile };
}

/** Writes a file with its compressed forms, `<path>.br` and `<path>.gz`. */
async function writeBuilt(directory: string, path: string, content: Uint8Array): Promise<BuiltFile> {
  const file = join(directory, path);
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, content);
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  await writeFile(`${file}.br`, await promisify(brotliCompress)(content, quality));
  await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
  const type = TYPES[extname(path)] ?? "application/octet-stream";
  return { path: `/${path}`, type, hash: hashOf(content) };
}

/** The built page as a map from path to content, and what it consists of. */
async function bundlePage() {
  const [{ scripts, metafile }, icon, template] = await Promise.all([
    bundleScripts(),
    readFile(join(WEB, "icon.svg")),
    readFile(join(WEB, "index.html"), "utf8"),
  ]);
  const script = [...scripts.keys()].find((path) => path.startsWith("assets/main-"));
  if (script === undefined) throw new Error("esbuild wrote no main script");
  // A browser that knows them only from the main script asks for them a round trip later.
  const preloads = Object.entries(metafile.outputs)
    .filter(([path]) => path.endsWith(script))
    .flatMap(([, { imports }]) => imports.filter(({ kind }) => kind === "import-statement"))
    .map(({ path }) => `<link rel="modulepreload" href="/assets/${basename(path)}" />`);
  const styles = await bundleStyles(metafile);
  const iconPath = `assets/icon-${hashOf(icon)}.svg`;
  const index = template
    .replace("{{script}}", `/${script}`)
    .replace("{{preloads}}", preloads.join(""))
    .replace("{{styles}}", `/${styles.first.path}`)
    .replace("{{laterStyles}}", `/${styles.later.path}`)
    .replace("{{icon}}", `/${iconPath}`);
  const content = new Map<string, Uint8Array>([
    ...scripts,
    ...styles.first.files,
    ...styles.later.files,
    [iconPath, icon],
    ["index.html", Buffer.from(index)],
  ]);
  return { content, metafiles: [metafile, styles.first.metafile, styles.later.metafile] };
}

/** The hash of the sources that the page in `directory` was built from; undefined if there is none. */
async function builtHash(directory: string): Promise<string | undefined> {
  try {
    return await readFile(join(directory, ".hash"), "utf8");
  } catch {
    // Not built yet.
    return undefined;
  }
}

/**
 * Bundles the page into `directory`, unless the same sources were bundled there already. A reader of the directory finds the
 * former page or this one, never a part of it. Throws esbuild's error for a source with a mistake.
 * @returns esbuild's descriptions of scripts and styles; none if nothing was to do
 */
export async function buildPage(directory: string): Promise<readonly Metafile[]> {
  const hash = await hashSources();
  if ((await builtHash(directory)) === hash) return [];
  const made = `${directory}.${process.pid}`;
  try {
    const { content: page, metafiles } = await bundlePage();
    const files: BuiltFile[] = [];
    for (const [path, content] of page) files.push(await writeBuilt(made, path, content));
    await writeFile(join(made, "manifest.json"), JSON.stringify({ files }, undefined, 2));
    await writeFile(join(made, ".hash"), hash);
    await rm(directory, { recursive: true, force: true });
    await rename(made, directory);
    return metafiles;
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}
