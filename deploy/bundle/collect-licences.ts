import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Metafile } from "esbuild";

const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//u;
const LICENCE_FILE = /^(?:licen[cs]e|notice|copying)/iu;

/**
 * The licence texts of all packages that bundles contain code of, as one text: most licences require that they go along with
 * the code. A package without a licence file is named with the licence of its package.json.
 */
export async function collectLicences(root: string, bundles: readonly Metafile[]): Promise<string> {
  const inputs = bundles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap((output) => Object.keys(output.inputs)),
  );
  const folders = new Set(inputs.map((input) => PACKAGE.exec(input)?.[1] ?? ""));
  folders.delete("");
  const texts = [...folders].toSorted().map((folder) => licence(join(root, folder)));
  return (await Promise.all(texts)).join(`\n${"-".repeat(80)}\n\n`);
}

async function licence(folder: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const field = (name: string) => {
    const value: unknown =
      typeof manifest === "object" && manifest !== null ? Reflect.get(manifest, name) : "";
    return typeof value === "string" ? value : "unknown";
  };
  const files = (await readdir(folder)).filter((name) => LICENCE_FILE.test(name)).toSorted();
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), "utf8")));
  return [`${field("name")} ${field("version")} (${field("license")})\n`, ...texts].join("\n");
}
