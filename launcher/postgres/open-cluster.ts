import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ServicePasswords } from "#shared/database/schema/prepare-roles.ts";
import type { DatabaseService } from "#shared/database/schema/service-roles.ts";
import { errorMessage } from "#shared/errors.ts";
import { LaunchError } from "../launch-error.ts";
import type { PostgresUser } from "./find-postgres-user.ts";

export type Passwords = {
  /** Password of the superuser `postgres`. */
  readonly admin: string;
  /** Password of the role `tarsy`, which owns the tables. */
  readonly tarsy: string;
  /** Passwords of the services' roles. */
  readonly services: ServicePasswords;
};

const run = promisify(execFile);
const passwordsName = "passwords.json";

function readPasswords(path: string): Passwords | undefined {
  if (!existsSync(path)) return undefined;
  const value: unknown = JSON.parse(readFileSync(path, "utf8"));
  if (typeof value !== "object" || value === null) return undefined;
  if (!("admin" in value) || !("tarsy" in value)) return undefined;
  const services = "services" in value ? value.services : {};
  return { admin: String(value.admin), tarsy: String(value.tarsy), services: servicePasswords(services) };
}

/** The known passwords of the services' roles, and new ones for the others. */
function servicePasswords(known: unknown = {}): ServicePasswords {
  const of = (service: DatabaseService): string => {
    const entries: Record<string, unknown> = typeof known === "object" && known !== null ? { ...known } : {};
    const password = entries[service];
    return typeof password === "string" ? password : randomBytes(24).toString("hex");
  };
  return {
    api: of("api"),
    executor: of("executor"),
    "tool-runner": of("tool-runner"),
    notifier: of("notifier"),
  };
}

/** Replaces the file at once, so that no crash leaves half of it. */
function writePasswords(path: string, passwords: Passwords): void {
  const text = JSON.stringify(passwords);
  if (existsSync(path) && readFileSync(path, "utf8") === text) return;
  const draft = `${path}.new`;
  writeFileSync(draft, text, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, path);
}

async function initialise(
  initdb: string,
  user: PostgresUser,
  folder: string,
  adminPassword: string,
  durable: boolean,
): Promise<void> {
  const passwordFile = `${folder}.password`;
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(passwordFile, adminPassword, { mode: 0o600 });
  if (user.owner !== undefined) {
    for (const path of [folder, passwordFile]) chownSync(path, user.owner.uid, user.owner.gid);
  }
  const options = ["--username=postgres", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8"];
  if (!durable) options.push("--no-sync");
  const [command = initdb, ...args] = [
    ...user.prefix,
    ...user.initdbPrefix,
    initdb,
    "-D",
    folder,
    `--pwfile=${passwordFile}`,
    ...options,
  ];
  try {
    await run(command, args, {
      cwd: folder,
      env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8", TZ: "UTC" },
    });
  } catch (error) {
    const stderr =
      error instanceof Error && "stderr" in error ? String(error.stderr).trim() : errorMessage(error);
    throw new LaunchError(
      `The embedded PostgreSQL cannot create its data directory ${folder}; its last output:\n${stderr}`,
      {
        cause: error,
      },
    );
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

type OpenCluster = {
  readonly initdb: string;
  readonly user: PostgresUser;
  readonly dataDir: string;
  readonly cluster: string;
  readonly durable: boolean;
};

/**
 * Creates the cluster if there is none, and resolves with its passwords, which are stored beside it with mode 0600.
 * A cluster whose creation was interrupted is created again.
 * @throws LaunchError with the output of initdb if that fails.
 */
export async function openCluster(options: OpenCluster): Promise<Passwords> {
  const path = join(options.dataDir, passwordsName);
  const known = existsSync(options.cluster) ? readPasswords(path) : undefined;
  if (known !== undefined) {
    writePasswords(path, known);
    return known;
  }
  if (existsSync(options.cluster)) {
    throw new LaunchError(
      `${path} is missing, so the database cannot be opened; delete the data with: npm start -- --reset.`,
    );
  }
  const passwords = {
    admin: randomBytes(24).toString("hex"),
    tarsy: randomBytes(24).toString("hex"),
    services: servicePasswords(),
  };
  const draft = `${options.cluster}.new`;
  rmSync(draft, { recursive: true, force: true });
  await initialise(options.initdb, options.user, draft, passwords.admin, options.durable);
  writePasswords(path, passwords);
  renameSync(draft, options.cluster);
  return passwords;
}
