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

/** The Debian release whose nats-server is taken: a Go program, so it runs on older releases too. */
const suite = "forky";
const run = promisify(execFile);

/** Runs a command; its error holds only the lines that name the cause. */
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
  // Root's apt downloads as another user, who cannot enter a checkout below a 0700 directory.
  if (process.getuid?.() === 0) options.push("APT::Sandbox::User=root");
  return options.flatMap((option) => ["-o", option]);
}

async function fetchInto(folder: string, target: string): Promise<void> {
  const { uri, keyring } = findDebianMirror();
  mkdirSync(join(folder, "lists", "partial"), { recursive: true });
  mkdirSync(join(folder, "cache", "archives", "partial"), { recursive: true });
  // Verified as every package of this machine is: the keyring that Debian installed signs the newer release too.
  const signedBy = keyring === undefined ? "" : `[signed-by=${keyring}] `;
  writeFileSync(join(folder, "sources.list"), `deb ${signedBy}${uri} ${suite} main\n`);
  const options = aptOptions(folder);
  // The machine's own hooks run behind an update and may fail for an ordinary user; the download tells what counts.
  const updated = await runQuietly("apt-get", ["update", "-q", ...options], folder).catch(
    (error: unknown) => error,
  );
  await runQuietly("apt-get", ["download", "-q", "nats-server", ...options], folder).catch(
    (error: unknown) => {
      throw updated instanceof Error ? updated : error;
    },
  );
  const archive = readdirSync(folder).find((name) => name.endsWith(".deb"));
  if (archive === undefined) throw new Error("apt-get brought no package");
  await runQuietly("dpkg-deb", ["-x", archive, "unpacked"], folder);
  const binary = ["usr/sbin/nats-server", "usr/bin/nats-server"]
    .map((path) => join(folder, "unpacked", path))
    .find((path) => existsSync(path));
  if (binary === undefined) throw new Error(`${archive} holds no nats-server`);
  chmodSync(binary, 0o755);
  renameSync(binary, target);
}

/**
 * Puts a nats-server at `target` (a path in `toolsDir`) out of Debian's package, as an ordinary user and without
 * touching the machine's own package state.
 * @throws Error whose message is the cause as a part of a sentence.
 */
export async function fetchNatsServer({
  toolsDir,
  target,
}: {
  toolsDir: string;
  target: string;
}): Promise<void> {
  mkdirSync(toolsDir, { recursive: true });
  const folder = mkdtempSync(join(toolsDir, "fetch-"));
  try {
    await fetchInto(folder, target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
