import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { findSetpriv } from "./die-with-parent.ts";
import { LaunchError } from "./launch-error.ts";

/** How to run PostgreSQL's programs, which refuse to run as root. */
export type PostgresUser = {
  /** To put in front of a program's command line; empty where we are an ordinary user. */
  readonly prefix: readonly string[];
  /** Who must own what the programs write; `undefined` where that is ourselves. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
};

/**
 * What lets a program pass directories that are closed to its user, and nothing else: it may search and read, not
 * write. SQL gains nothing by it, since only a superuser may read files and `tarsy` is none. Without the
 * secure bit access(2) would still refuse: it asks with the capabilities that the *real* user would have.
 */
const passClosedDirectories = [
  "--securebits=+no_setuid_fixup",
  "--inh-caps=+dac_read_search",
  "--ambient-caps=+dac_read_search",
  "--bounding-set=-all,+dac_read_search",
];

function unprivilegedUser(): { uid: number; gid: number } {
  const users = readFileSync("/etc/passwd", "utf8").split("\n");
  for (const name of ["postgres", "nobody"]) {
    const fields = users.find((line) => line.startsWith(`${name}:`))?.split(":");
    if (fields !== undefined) return { uid: Number(fields[2]), gid: Number(fields[3]) };
  }
  return { uid: 65_534, gid: 65_534 };
}

function canRun(prefix: readonly string[], program: string, folder: string): boolean {
  const [command, ...args] = prefix;
  if (command === undefined) return false;
  try {
    // Both the program and the folder, as its own user: only a try tells, since any parent may be closed.
    execFileSync(command, [...args, program, "--version"], { stdio: "pipe" });
    execFileSync(command, [...args, "/bin/sh", "-c", 'test -x "$0"', folder], { stdio: "pipe" });
    return true;
  } catch {
    return false;
  }
}

/**
 * Finds a user for PostgreSQL: ourselves, or for root the owner of an earlier `cluster`, `postgres` or `nobody`.
 * @param program one of the programs to run
 * @param dataDir an existing directory that the programs must reach
 * @param cluster what an earlier start may have left
 * @throws LaunchError when root has no way to step down to such a user here.
 */
export function findPostgresUser(program: string, dataDir: string, cluster: string): PostgresUser {
  const earlier = existsSync(cluster) ? statSync(cluster) : undefined;
  const uid = process.getuid?.();
  if (uid !== 0) {
    if (earlier === undefined || earlier.uid === uid) return { prefix: [], owner: undefined };
    throw new LaunchError(
      `${cluster} belongs to user ${earlier.uid}, since it was first started by another user or as root; start as that one again, or forget the data: npm start -- --reset.`,
    );
  }
  const owner = earlier !== undefined && earlier.uid !== 0 ? earlier : unprivilegedUser();
  const setpriv = findSetpriv();
  if (setpriv !== undefined) {
    const stepDown = [setpriv, "--reuid", String(owner.uid), "--regid", String(owner.gid), "--clear-groups"];
    for (const prefix of [stepDown, [...stepDown, ...passClosedDirectories]]) {
      if (canRun(prefix, program, dataDir)) return { prefix, owner: { uid: owner.uid, gid: owner.gid } };
    }
  }
  throw new LaunchError(
    `PostgreSQL refuses to run as root and user ${owner.uid} cannot reach ${dataDir} and ${program}; start as an ordinary user, from a directory open to all, or set DATABASE_URL to a PostgreSQL of your own.`,
  );
}
