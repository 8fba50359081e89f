import { chmod, copyFile, glob, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import packageJson from "../package.json" with { type: "json" };
import type { Endpoint } from "../services/api/http/endpoint.ts";
import { writeTypes } from "./client/write-types.ts";

const ROOT = join(import.meta.dirname, "..");
/** CommonJS packages in a bundle call `require` for Node's own modules. */
const BANNER = `import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);`;
const README = `# tarsy-client

\`npx tarsy --help\` lists the commands; \`TARSY_API_URL\` and \`TARSY_TOKEN\` name the server and the key.

\`\`\`js
import { ApiClient, followSession } from "tarsy-client";

const api = new ApiClient({ url: "https://tarsy.example.com", headers: { authorization: \`Bearer \${process.env.TARSY_TOKEN}\` } });
const { session_id } = await api.call("POST /api/v1/alerts", { body: { data: "Disk full on db-7" } });
\`\`\`
`;

/**
 * Writes the package `tarsy-client` into a directory, whose content it replaces: the client for Node ≥ 22 and browsers, the command
 * `tarsy`, and declarations. It needs no other package.
 */
export async function writeClientPackage(directory: string, version: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  const options = {
    absWorkingDir: ROOT,
    bundle: true,
    format: "esm",
    target: "node22",
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
    legalComments: "inline",
  } as const;
  await build({
    ...options,
    platform: "neutral",
    entryPoints: [join(ROOT, "scripts/client/index.ts")],
    outfile: join(directory, "index.js"),
  });
  const command = join(directory, "tarsy.js");
  const bundled = await build({
    ...options,
    platform: "node",
    entryPoints: [join(ROOT, "scripts/client/main.ts")],
    outfile: command,
    banner: { js: `#!/usr/bin/env node\n${BANNER}` },
    write: false,
  });
  // In a checkout the command has a longer name.
  const text = bundled.outputFiles
    .map((file) => file.text.replaceAll("npm run tarsy -- ", "tarsy "))
    .join("");
  await writeFile(command, text);
  await chmod(command, 0o755);
  await writeFile(join(directory, "index.d.ts"), writeTypes(await endpoints()));
  await writeFile(join(directory, "README.md"), README);
  await copyFile(join(ROOT, "LICENSE"), join(directory, "LICENSE"));
  const content = {
    name: "tarsy-client",
    version,
    description: "Client and command line of TARSy",
    // Until the name is reserved.
    private: true,
    type: "module",
    license: packageJson.license,
    engines: { node: ">=22" },
    exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
    bin: { tarsy: "tarsy.js" },
  };
  await writeFile(join(directory, "package.json"), `${JSON.stringify(content, undefined, 2)}\n`);
}

/** The routes of the api, from the contracts of its resources. */
async function endpoints(): Promise<readonly Endpoint[]> {
  const found = new Map<string, Endpoint>();
  for await (const file of glob("services/api/*/contract.ts", { cwd: ROOT })) {
    const module: unknown = await import(pathToFileURL(join(ROOT, file)).href);
    for (const resource of Object.values({ ...(isObject(module) ? module : {}) })) {
      for (const one of isObject(resource) ? Object.values(resource) : []) {
        if (isEndpoint(one)) found.set(`${one.path} ${one.method}`, one);
      }
    }
  }
  return [...found].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, endpoint]) => endpoint);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isEndpoint(value: unknown): value is Endpoint {
  return isObject(value) && "path" in value && "method" in value && "responses" in value;
}

if (process.argv[1] === import.meta.filename) {
  const { version } = packageJson;
  const directory = process.argv[2] ?? join(ROOT, ".tarsy", "client");
  await writeClientPackage(directory, version);
  process.stdout.write(`${directory}: tarsy-client ${version}\n`);
}
