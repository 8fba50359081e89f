import { execFile } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { findDebianMirror } from "./debian-mirror.ts";

const run = promisify(execFile);

/** Runs a command; the message of its error contains only the line that names the cause. */
async function runQuietly(command: string, args: readonly string[], cwd: string): Promise<void> {
  try {
    await run(command, args, {
      cwd,
      timeout: 300_000,
      maxBuffer: 16 * 1024 * 1024,
      env: { ...process.env, LC_ALL: "C.UTF-8" },
    });
  } catch (error) {
    const stderr = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    const causes = stderr.split("\n").filter((line) => line.startsWith("E:"));
    throw new Error(
      `${command}: ${causes.at(-1) ?? (stderr === "" ? "failed" : stderr.split("\n").at(-1))}`,
      {
        cause: error,
      },
    );
  }
}

function aptOptions(folder: string): string[] {
  const options = [
    `Dir::Etc::sourcelist=${join(folder, "sources.list")}`,
    "Dir::Etc::sourceparts=/dev/null",
    `Dir::State::lists=${join(folder, "lists")}`,
    `Dir::Cache=${join(folder, "cache")}`,
    "Acquire::Languages=none",
    "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false",
    "Acquire::IndexTargets::deb::DEP-11-icons-small::DefaultEnabled=false",
    "Acquire::IndexTargets::deb::DEP-11-icons::DefaultEnabled=false",
  ];
  // apt downloads as another user for root, which cannot enter a checkout below a 0700 directory.
  if (process.getuid?.() === 0) options.push("APT::Sandbox::User=root");
  return options.flatMap((option) => ["-o", option]);
}

interface DebianPrograms {
  readonly toolsDir: string;
  readonly packageName: string;
  /** The release to download from; the machine's own without it. */
  readonly suite?: string | undefined;
  /** The targets of the package's programs, paths in `toolsDir`, by name. */
  readonly programs: Readonly<Record<string, string>>;
}

async function fetchInto(folder: string, { packageName, suite, programs }: DebianPrograms): Promise<void> {
  const { uri, keyring, release } = findDebianMirror();
  mkdirSync(join(folder, "lists", "partial"), { recursive: true });
  mkdirSync(join(folder, "cache", "archives", "partial"), { recursive: true });
  // apt verifies the package: the machine's Debian keyring also signs the newer release.
  const signedBy = keyring === undefined ? "" : `[signed-by=${keyring}] `;
  writeFileSync(join(folder, "sources.list"), `deb ${signedBy}${uri} ${suite ?? release} main\n`);
  const options = aptOptions(folder);
  // The machine's hooks after an update may fail for an ordinary user; only the download has to succeed.
  const updated = await runQuietly("apt-get", ["update", "-q", ...options], folder).catch(
    (error: unknown) => error,
  );
  await runQuietly("apt-get", ["download", "-q", packageName, ...options], folder).catch((error: unknown) => {
    throw updated instanceof Error ? updated : error;
  });
  const archive = readdirSync(folder).find((name) => name.endsWith(".deb"));
  if (archive === undefined) throw new Error("apt-get downloaded no package");
  await runQuietly("dpkg-deb", ["-x", archive, "unpacked"], folder);
  for (const [name, target] of Object.entries(programs)) {
    const binary = ["sbin", "bin"]
      .map((place) => join(folder, "unpacked", "usr", place, name))
      .find((path) => existsSync(path));
    if (binary === undefined) throw new Error(`${archive} contains no ${name}`);
    chmodSync(binary, 0o755);
    renameSync(binary, target);
  }
}

/**
 * Downloads Debian's package and puts its programs where `programs` says, as an ordinary user and without changing the package
 * state of the machine.
 * @throws Error whose message is a sentence fragment with the cause.
 */
export async function fetchDebianPrograms(wanted: DebianPrograms): Promise<void> {
  mkdirSync(wanted.toolsDir, { recursive: true });
  const folder = mkdtempSync(join(wanted.toolsDir, "fetch-"));
  try {
    await fetchInto(folder, wanted);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
