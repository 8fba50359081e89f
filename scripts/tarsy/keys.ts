import { parseArgs } from "node:util";
import { addApiKey, listApiKeys, revokeApiKey } from "#shared/access/api-keys.ts";
import { ROLES, type Role } from "#shared/access/identity.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Queryable } from "#shared/database/queryable.ts";

const DEFAULT_DAYS = 365;

export const KEYS_USAGE = `  keys add NAME --role ROLE[,ROLE] [--team TEAM[,TEAM]] [--days N]
                         adds an API key and prints it once; roles are ${ROLES.join(", ")};
                         it is valid for ${DEFAULT_DAYS} days, or N (0: without end)
  keys list              lists the keys, without their secrets
  keys revoke ID         revokes the key with this id, within 5 s everywhere
`;

/** Runs `keys …`; resolves with the exit code. Throws database errors. */
export async function runKeys(
  db: Queryable,
  args: readonly string[],
  print: (text: string) => void,
): Promise<number> {
  const [action, ...rest] = args;
  try {
    if (action === "add") return await add(db, rest, print);
    if (action === "list" && rest.length === 0) return await list(db, print);
    if (action === "revoke") return await revoke(db, rest, print);
    throw new InvalidArguments(`keys ${action ?? ""}: use add, list or revoke`);
  } catch (error) {
    if (!(error instanceof InvalidArguments)) throw error;
    print(`${error.message}\n\n${KEYS_USAGE}`);
    return 2;
  }
}

class InvalidArguments extends Error {}

async function add(db: Queryable, args: readonly string[], print: (text: string) => void): Promise<number> {
  const { values, positionals } = parse(args);
  const [subject, ...more] = positionals;
  if (subject === undefined || more.length > 0) throw new InvalidArguments("name the one who gets the key");
  const days = Number(values.days);
  if (!/^\d{1,5}$/u.test(values.days)) {
    throw new InvalidArguments(`--days is "${values.days}": give a whole number`);
  }
  const roles = parts(values.role).map(readRole);
  if (roles.length === 0) throw new InvalidArguments(`--role is missing: one of ${ROLES.join(", ")}`);
  const key = await addApiKey(db, {
    subject,
    roles,
    teams: parts(values.team),
    expiresInDays: days === 0 ? undefined : days,
  });
  print(`${key.text}\n`);
  return 0;
}

async function list(db: Queryable, print: (text: string) => void): Promise<number> {
  const rows = await listApiKeys(db);
  const lines = rows.map(({ id, subject, roles, teams, expires_at, revoked_at }) => {
    const state = revoked_at === null ? `until ${expires_at ?? "revoked"}` : `revoked ${revoked_at}`;
    return [id, subject, roles.join(","), teams.join(",") || "-", state].join("  ");
  });
  print(lines.length === 0 ? "no keys\n" : `${lines.join("\n")}\n`);
  return 0;
}

async function revoke(db: Queryable, ids: readonly string[], print: (text: string) => void): Promise<number> {
  const [id, ...more] = ids;
  if (id === undefined || more.length > 0) throw new InvalidArguments("name the id of one key");
  const isRevoked = await revokeApiKey(db, id);
  print(isRevoked ? `${id} is revoked\n` : `there is no key ${id}: keys list shows the ids\n`);
  return isRevoked ? 0 : 1;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        role: { type: "string", default: "" },
        team: { type: "string", default: "" },
        days: { type: "string", default: String(DEFAULT_DAYS) },
      },
    });
  } catch (error) {
    throw new InvalidArguments(errorMessage(error), { cause: error });
  }
}

function parts(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function readRole(text: string): Role {
  const role = ROLES.find((known) => known === text);
  if (role === undefined) throw new InvalidArguments(`--role is "${text}": use ${ROLES.join(", ")}`);
  return role;
}
