import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { LaunchError } from "../launch-error.ts";

/**
 * The words to put before the command line of `initdb`, which looks its user up by name: nothing for a user that has one. For an id without a name,
 * as containers and build machines have, a user namespace in which the id is that of a named user; files still belong to the id.
 * @throws LaunchError if this machine does not let its users make namespaces, with what to do.
 */
export function lendUserName(): readonly string[] {
  if (hasName()) return [];
  const named = namedUser();
  const prefix = lendUserId(named);
  try {
    if (named === undefined) throw new Error("/etc/passwd has no other user");
    const [command = "", ...args] = prefix;
    execFileSync(command, [...args, "true"], { stdio: "pipe" });
    return prefix;
  } catch (error) {
    const uid = process.getuid?.() ?? "";
    throw new LaunchError(
      `user id ${uid} has no name in /etc/passwd, which PostgreSQL needs to create its data, and this machine lets users make no namespace (unshare --user); add the line "tarsy:x:${uid}:${process.getgid?.() ?? uid}::/tmp:/bin/sh" to /etc/passwd, start as a user with a name, or set DATABASE_URL to a PostgreSQL of your own.`,
      { cause: error },
    );
  }
}

/** The words to put before a command line that is to see its user as this one; files still belong to the current user. */
export function lendUserId(uid: number | string | undefined): readonly string[] {
  return ["unshare", "--user", `--map-user=${uid}`, "--"];
}

function hasName(): boolean {
  try {
    userInfo();
    return true;
  } catch {
    return false;
  }
}

/** The id of a user that is not root: initdb refuses to run as root. */
function namedUser(): string | undefined {
  const ids = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":")[2] ?? "");
  return ids.findLast((id) => /^[1-9]\d*$/u.test(id));
}
