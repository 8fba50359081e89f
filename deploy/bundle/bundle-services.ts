import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";

/** The services and the programs that run before them, as their folders are named. */
const SERVICES = ["api", "executor", "llm-gateway", "notifier", "tool-runner", "migrate", "database-init"];

/** CommonJS packages in a bundle call `require` for Node's own modules. */
const BANNER = `import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);`;

/**
 * An import of one of these modules reads all its exports, and one of them loads much that few use: `fetch` in `http`, the root
 * certificates in `tls`.
 */
const COSTLY_IMPORTS = /^(?:node:)?(?:http|tls)$/;

/** Takes the modules of COSTLY_IMPORTS without reading their exports, as `shared/service/node-http.ts` does. */
const builtinsWithoutImport: Plugin = {
  name: "builtins-without-import",
  setup: (bundle) => {
    bundle.onResolve({ filter: COSTLY_IMPORTS }, ({ path, kind }) =>
      kind === "import-statement" ? { path, namespace: "builtin" } : undefined,
    );
    bundle.onLoad({ filter: /./, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

/**
 * Bundles each service with all its packages into `<directory>/services/<name>/main.mjs`, and what is imported later, such as
 * the SDKs of providers, into chunks beside it. Replaces what `<directory>/services` contains.
 * @returns esbuild's description of each bundle
 * @throws Error if a module cannot be resolved or the bundle would need a package at run time
 */
export async function bundleServices(root: string, directory: string): Promise<readonly Metafile[]> {
  await rm(join(directory, "services"), { recursive: true, force: true });
  const services = SERVICES.map((name) =>
    bundleProgram(root, join("services", name), join(directory, "services", name)),
  );
  // Operators run it in a container of the image.
  return Promise.all([
    ...services,
    bundleProgram(root, join("scripts", "tarsy"), join(directory, "services", "tarsy")),
  ]);
}

async function bundleProgram(root: string, source: string, outdir: string): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: join(root, source, "main.ts") },
    outdir,
    outExtension: { ".js": ".mjs" },
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    // pg loads it only if it is asked to.
    external: ["pg-native"],
    plugins: [builtinsWithoutImport],
    banner: { js: BANNER },
    // Comments would make the source that V8 keeps in memory several times as large. Names stay, for stack traces, and lines
    // stay short, so that a position in a stack trace can be found.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
    sourcemap: true,
    sourcesContent: false,
    legalComments: "linked",
    metafile: true,
    logLevel: "warning",
  });
  assertSelfContained(root, source, metafile);
  return metafile;
}

/**
 * The image has no node_modules, so a package that is left out of a bundle is missing there. Packages that are not installed
 * here either are optional: what asks for them does without.
 */
function assertSelfContained(root: string, name: string, { outputs }: Metafile): void {
  const external = Object.values(outputs).flatMap(({ imports }) =>
    imports.filter((imported) => imported.external === true).map(({ path }) => path),
  );
  const missing = external.filter((path) => !isBuiltin(path) && existsSync(join(root, "node_modules", path)));
  if (missing.length > 0) throw new Error(`the bundle of ${name} does not contain ${missing.join(", ")}`);
}
