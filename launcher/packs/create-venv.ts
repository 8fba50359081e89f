import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import type { Environment } from "#shared/service/environment.ts";
import { run, NOT_STARTED, type FoundPack, type InstallOptions } from "./run-installer.ts";

interface Places {
  /** Where it is installed, and where that will be. */
  readonly draft: string;
  readonly target: string;
  /** The list of packages with their hashes. */
  readonly hashesFile: string;
}

/**
 * Installs a package of PyPI with all that it needs in `<draft>/venv`: only built packages, whose code is not run meanwhile, and only
 * files with a hash in the list. Throws an Error whose message says why it cannot, or the signal's reason.
 */
export async function createVenv(
  { pack: { pack: name, server } }: FoundPack,
  { draft, target, hashesFile }: Places,
  options: InstallOptions,
): Promise<void> {
  if (!existsSync(hashesFile)) {
    throw new Error(`${hashesFile} is missing: the list of packages with their hashes`);
  }
  const { name: package_ = "", version = "", python: wanted = "3.9", bin = "" } = server ?? {};
  if (!pinsOf(readFileSync(hashesFile, "utf8")).has(`${normalName(package_)}==${version}`)) {
    throw new Error(`${hashesFile} does not have ${package_}==${version}: make it again`);
  }
  const python = await findPython(name, wanted, options.env);
  const venv = join(draft, "venv");
  const made = await run(python, ["-m", "venv", venv], {}, options);
  if (made !== undefined) {
    throw new Error(`${python} could not make a virtual environment (on Debian: apt install python3-venv)`);
  }
  const flags = ["--require-hashes", "--only-binary", ":all:", "--no-input", "--quiet"];
  const args = ["-m", "pip", "--disable-pip-version-check", "install", ...flags, "-r", hashesFile];
  const said = await run(join(venv, "bin", "python"), args, {}, options);
  if (said !== undefined) {
    const line = said.split("\n").find((text) => text.startsWith("ERROR: "));
    throw new Error(`pip could not install it: ${line?.slice("ERROR: ".length) ?? NOT_STARTED}`);
  }
  // Scripts name the interpreter by its absolute path.
  const program = join(venv, "bin", bin);
  const script = readFileSync(program);
  if (script.subarray(0, 2).toString() === "#!") {
    writeFileSync(program, script.toString().replaceAll(draft, target));
  }
}

/** The packages of a list, as `name==version`. */
function pinsOf(list: string): ReadonlySet<string> {
  const pins = list.matchAll(/^(?<name>[\w.-]+)(?:\[[^\]]*\])?==(?<version>[^\s;\\]+)/gmu);
  return new Set(
    [...pins].map(({ groups = {} }) => `${normalName(groups["name"] ?? "")}==${groups["version"]}`),
  );
}

/** PyPI takes `Mcp_Server` for `mcp-server` (PEP 503). */
function normalName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/gu, "-");
}

/** The first Python on the PATH that is new enough. Throws an Error that names what was found. */
async function findPython(pack: string, wanted: string, env: Environment): Promise<string> {
  const found = new Set<string>();
  for (const program of pythonsOn(env["PATH"] ?? "")) {
    const version = await versionOf(program, env);
    if (version === undefined) continue;
    if (minorOf(version) >= minorOf(wanted)) return program;
    found.add(version);
  }
  const known = found.size === 0 ? "there is none on the PATH" : `the PATH has ${[...found].join(", ")}`;
  throw new Error(`${pack} needs Python ${wanted}: ${known}; install one, and put it on the PATH`);
}

function pythonsOn(path: string): string[] {
  const folders = path.split(delimiter).filter((folder) => folder !== "" && existsSync(folder));
  return folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => /^python3(?:\.\d+)?$/u.test(file))
      .map((file) => join(folder, file)),
  );
}

async function versionOf(program: string, env: Environment): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(program, ["-I", "--version"], { env, timeout: 10_000 });
    return /^Python (?<version>3\.\d+)/u.exec(stdout)?.groups?.["version"];
  } catch {
    return undefined;
  }
}

function minorOf(version: string): number {
  return Number(version.split(".")[1]);
}
