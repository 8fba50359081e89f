import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BUS_USERS, type BusUser } from "#shared/contracts/subjects.ts";
import { makePrivateDirectory, writePrivateFile } from "../private-file.ts";

/** The password of each user of the embedded NATS server: letters and digits. */
type NatsPasswords = ReadonlyMap<BusUser, string>;

const fileName = "passwords.json";

function readStored(path: string): Map<string, string> {
  if (!existsSync(path)) return new Map();
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    const entries = Object.entries(typeof value === "object" && value !== null ? value : {});
    return new Map(entries.map(([user, password]) => [user, String(password)]));
  } catch {
    // Nothing but the next start depends on the passwords: new ones do as well.
    return new Map();
  }
}

/**
 * The passwords stored in `dataDir`, in a file of mode 0600 in a directory of mode 0700. Those that are missing are
 * created: all of them for the data of a version that had none.
 */
export function openNatsPasswords(dataDir: string): NatsPasswords {
  makePrivateDirectory(dataDir);
  const path = join(dataDir, fileName);
  const stored = readStored(path);
  const passwords = new Map<BusUser, string>(
    BUS_USERS.map((user) => {
      const known = stored.get(user) ?? "";
      return [user, /^\w{20,}$/u.test(known) ? known : randomBytes(24).toString("hex")];
    }),
  );
  writePrivateFile(path, `${JSON.stringify(Object.fromEntries(passwords), null, 2)}\n`);
  return passwords;
}

/** The URL of a server for one of its users. */
export function natsUrlOf(url: string, user: string, password: string): string {
  const changed = new URL(url);
  changed.username = user;
  changed.password = password;
  return changed.href;
}
