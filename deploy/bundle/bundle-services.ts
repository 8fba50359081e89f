import { existsSync, readFileSync } from "node:fs";
import { chmod, rm } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { basename, join } from "node:path";
import { build, stop, type BuildOptions, type Metafile, type Plugin } from "esbuild";

/** The services and the programs that run before them, as their folders are named. */
const SERVICES = ["api", "executor", "llm-gateway", "notifier", "tool-runner", "migrate", "database-init"];

/** MCP servers that come with TARSy: the main files of their packages, which become programs of these names. */
const MCP_SERVERS = {
  "mcp-server-filesystem": join("@modelcontextprotocol", "server-filesystem", "dist", "index.js"),
};

/** CommonJS packages in a bundle call `require` for Node's own modules. */
const BANNER = `import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);`;

/**
 * An import of one of these modules reads all its exports, and one of them loads much that few use: `fetch` in `http`, the root
 * certificates in `tls`.
 */
const COSTLY_IMPORTS = /^(?:node:)?(?:http|tls)$/;

/**
 * `tls` starts a thread that parses 150 root certificates, 20 ms of CPU time, and `https` loads `tls`. Packages that can use TLS
 * require them at once, and most processes never connect with it.
 */
const LATE_REQUIRES = /^(?:node:)?(?:https|tls)$/;

/** A module of LATE_REQUIRES, loaded when a member is first read. A socket is asked for its class by what Node documents. */
const lateBuiltin = (path: string) => `
const TLSSocket = { [Symbol.hasInstance]: (socket) => socket?.encrypted === true };
const load = () => process.getBuiltinModule(${JSON.stringify(path)});
module.exports = new Proxy({}, {
  get: (_, name) => (name === "TLSSocket" ? TLSSocket : name === "__esModule" ? undefined : load()[name]),
  has: (_, name) => name in load(),
  ownKeys: () => Reflect.ownKeys(load()),
  getOwnPropertyDescriptor: (_, name) =>
    Object.hasOwn(load(), name) ? { value: load()[name], enumerable: true, configurable: true } : undefined,
});`;

/** What a TypeORM of Postgres alone does without: two thirds of a megabyte, which every process would read and keep. */
const OTHER_DRIVERS = /typeorm[/\\]driver[/\\][\w-]+[/\\]\w+Driver\.js$/;

/** A CommonJS package of which another takes a name by `import()`; its chunk would export `default` alone. */
const NAMED_LATER = {
  filter: /^https-proxy-agent$/,
  contents: 'export { HttpsProxyAgent } from "https-proxy-agent";',
};

/**
 * Leaves out what no process uses, loads later what few do, and takes the modules of COSTLY_IMPORTS without reading their exports, as
 * `shared/service/node-http.ts` does.
 */
const loadLess: Plugin = {
  name: "load-less",
  setup: (bundle) => {
    bundle.onResolve({ filter: LATE_REQUIRES }, ({ path, kind }) =>
      kind === "require-call" ? { path, namespace: "late-builtin" } : undefined,
    );
    bundle.onLoad({ filter: /./, namespace: "late-builtin" }, ({ path }) => ({
      contents: lateBuiltin(path),
    }));
    bundle.onResolve({ filter: NAMED_LATER.filter }, ({ path, kind, resolveDir }) =>
      kind === "dynamic-import" ? { path, namespace: "named-later", pluginData: resolveDir } : undefined,
    );
    bundle.onLoad({ filter: /./, namespace: "named-later" }, ({ pluginData }) => ({
      contents: NAMED_LATER.contents,
      resolveDir: String(pluginData),
    }));
    bundle.onLoad({ filter: OTHER_DRIVERS }, ({ path }) =>
      path.includes("postgres") ? undefined : { contents: "" },
    );
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
 * the SDKs of providers, into chunks beside it; and the MCP servers that come with TARSy into `<directory>/mcp-servers`.
 * Replaces what these directories contain.
 * @returns esbuild's description of each bundle
 * @throws Error if a module cannot be resolved or the bundle would need a package at run time
 */
export async function bundleServices(root: string, directory: string): Promise<readonly Metafile[]> {
  const programs = join(directory, "mcp-servers");
  for (const old of [join(directory, "services"), programs]) await rm(old, { recursive: true, force: true });
  const services = SERVICES.map((name) =>
    bundleProgram(root, join("services", name), join(directory, "services", name)),
  );
  // Operators run it in a container of the image.
  return Promise.all([
    ...services,
    bundleProgram(root, join("scripts", "tarsy"), join(directory, "services", "tarsy")),
    bundleMcpServers(root, programs),
  ]);
}

/** The programs that a service runs in threads of its own, by the name of their file beside its `main.mjs`. */
const MASKING = { "mask-worker": join("shared", "masking", "worker", "mask-worker.ts") };
const THREADS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  api: MASKING,
  "tool-runner": MASKING,
  tarsy: MASKING,
  executor: {
    ...MASKING,
    "text-worker": join("services", "executor", "tools", "built-in", "text-worker.ts"),
  },
};

function threadsOf(root: string, source: string): Record<string, string> {
  const threads = Object.entries(THREADS[basename(source)] ?? {});
  return Object.fromEntries(threads.map(([name, file]) => [name, join(root, file)]));
}

/**
 * Bundles the program `<source>/main.ts` into `<outdir>/main.mjs`, with its threads and what it loads later beside it.
 * @throws Error as `bundleServices`
 */
export async function bundleProgram(
  root: string,
  source: string,
  outdir: string,
  options: Pick<BuildOptions, "sourcemap" | "legalComments"> = {},
): Promise<Metafile> {
  const { metafile } = await build({
    ...optionsFor(root),
    ...options,
    entryPoints: { main: join(root, source, "main.ts"), ...threadsOf(root, source) },
    outdir,
    plugins: [loadLess],
  });
  assertSelfContained(root, source, metafile);
  return metafile;
}

/**
 * Bundles programs for a checkout, each into `<directory>/<folder of the program>/main.mjs`. What several of them use is in each: chunks that they
 * share are many, and linking them takes a quarter of a start. Source maps, which take a third of the time, and licences are left out.
 * @throws Error as `bundleServices`
 */
export async function bundlePrograms(
  root: string,
  sources: readonly string[],
  directory: string,
): Promise<void> {
  try {
    await Promise.all(
      sources.map(async (source) =>
        bundleProgram(root, source, join(directory, basename(source)), {
          sourcemap: false,
          legalComments: "none",
        }),
      ),
    );
  } finally {
    // The launcher goes on for days, and esbuild's process would keep half a gigabyte for as long.
    await stop();
  }
}

async function bundleMcpServers(root: string, outdir: string): Promise<Metafile> {
  const mains = Object.entries(MCP_SERVERS).map(([name, path]) => [name, join(root, "node_modules", path)]);
  const { metafile } = await build({
    ...optionsFor(root),
    entryPoints: Object.fromEntries(mains),
    outdir,
  });
  assertSelfContained(root, "MCP servers", metafile);
  // They are started by name, through the first line of the file.
  await Promise.all(Object.keys(MCP_SERVERS).map((name) => chmod(join(outdir, `${name}.mjs`), 0o755)));
  return metafile;
}

function optionsFor(root: string) {
  return {
    absWorkingDir: root,
    outExtension: { ".js": ".mjs" },
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    // pg loads it only if it is asked to.
    external: ["pg-native"],
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
  } as const satisfies BuildOptions;
}

/**
 * The image has no node_modules, so a package that is left out of a bundle is missing there. Packages that are not installed
 * here either are optional: what asks for them does without.
 */
function assertSelfContained(root: string, name: string, { inputs, outputs }: Metafile): void {
  const external = Object.values(outputs).flatMap(({ imports }) =>
    imports.filter((imported) => imported.external === true).map(({ path }) => path),
  );
  const missing = external.filter((path) => !isBuiltin(path) && existsSync(join(root, "node_modules", path)));
  if (missing.length > 0) throw new Error(`the bundle of ${name} does not contain ${missing.join(", ")}`);
  assertLateDefaults(root, inputs);
}

/** A chunk of a CommonJS package exports `default` alone, while Node's own import of the package has its names, too. */
function assertLateDefaults(root: string, inputs: Metafile["inputs"]): void {
  for (const [path, { imports }] of Object.entries(inputs)) {
    for (const { kind, original = "", path: imported } of imports) {
      if (kind !== "dynamic-import" || inputs[imported]?.format !== "cjs") continue;
      if (readFileSync(join(root, path), "utf8").includes(`import("${original}")).default`)) continue;
      throw new Error(`${path} must take what it uses of ${original} from its default export`);
    }
  }
}
