import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { findSetpriv } from "../process/die-with-parent.ts";
import { LaunchError } from "../launch-error.ts";
import { lendUserId, lendUserName } from "./lend-user-name.ts";

/** The user for PostgreSQL's programs, which refuse to run as root. */
export type PostgresUser = {
  /** Put before a program's command line; empty for an ordinary user. */
  readonly prefix: readonly string[];
  /** Put between `prefix` and the command line of `initdb`. */
  readonly initdbPrefix: readonly string[];
  /** The owner of the files that the programs write; `undefined` for the current user. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
};

/**
 * Lets a program search and read directories that are closed to its user, but not write. SQL gains no access: only a
 * superuser may read files, and `tarsy` is not one. Without the secure bit access(2) would fail, since it checks the
 * capabilities of the *real* user.
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
    // Any parent directory may be closed to the user, so test the directory and run the program as that user.
    const test = 'test -x "$0" && exec "$1" --version';
    execFileSync(command, [...args, "/bin/sh", "-c", test, folder, program], { stdio: "pipe" });
    return true;
  } catch {
    return false;
  }
}

/**
 * Finds a user for PostgreSQL: the current user, or for root the owner of an existing `cluster`, `postgres` or `nobody`.
 * @param program one of the programs to run
 * @param dataDir an existing directory that the programs must be able to enter
 * @param cluster the data directory of an earlier start, which may not exist
 * @throws LaunchError if root cannot change to such a user, or the current user has no name and cannot get one.
 */
export function findPostgresUser(program: string, dataDir: string, cluster: string): PostgresUser {
  const earlier = existsSync(cluster) ? statSync(cluster) : undefined;
  const uid = process.getuid?.();
  if (uid !== 0) {
    if (earlier === undefined) return { prefix: [], initdbPrefix: lendUserName(), owner: undefined };
    if (earlier.uid === uid) return { prefix: [], initdbPrefix: [], owner: undefined };
    throw new LaunchError(
      `${cluster} belongs to user ${earlier.uid}, since another user or root started it first; start as that user again, or delete the data with: npm start -- --reset.`,
    );
  }
  const owner = earlier !== undefined && earlier.uid !== 0 ? earlier : unprivilegedUser();
  const setpriv = findSetpriv();
  if (setpriv !== undefined) {
    const stepDown = [setpriv, "--reuid", String(owner.uid), "--regid", String(owner.gid), "--clear-groups"];
    for (const prefix of [stepDown, [...stepDown, ...passClosedDirectories]]) {
      if (!canRun(prefix, program, dataDir)) continue;
      return { prefix, initdbPrefix: [], owner: { uid: owner.uid, gid: owner.gid } };
    }
  }
  const lent = lendUserId(owner.uid);
  // Root of a namespace without other users, as `unshare -r` makes: its programs see themselves as one of them.
  if ((earlier === undefined || earlier.uid === 0) && canRun(lent, program, dataDir)) {
    return { prefix: lent, initdbPrefix: [], owner: undefined };
  }
  throw new LaunchError(
    `PostgreSQL refuses to run as root and user ${owner.uid} cannot access ${dataDir} and ${program}; start as an ordinary user, from a directory that all users can enter, or set DATABASE_URL to a PostgreSQL of your own.`,
  );
}
