import { addApiKey, listApiKeys, revokeApiKey } from "#shared/access/api-keys.ts";
import { ROLES, SCOPES, STANDARD_SCOPES, type Role, type Scope } from "#shared/access/identity.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { maskByRules } from "#shared/masking/mask-by-rules.ts";
import { RULES_OF_NAMES } from "#shared/masking/masking-rules.ts";
import { UsageError, type Command, type CommandCall } from "../command.ts";
import { JSON_OPTION } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";
import { OWNER_DATABASE, connectAsOwner } from "../connect-as-owner.ts";

const DEFAULT_DAYS = "365";

/** `tarsy keys add|list|revoke` */
export const keysCommand: Command = {
  name: "keys",
  args: "add NAME | list | revoke ID",
  maxArgs: 2,
  summary: "Adds an API key and prints it once, lists keys, or revokes one (takes effect within 5 s)",
  details: OWNER_DATABASE,
  words: ["add", "list", "revoke"],
  options: {
    role: { value: "ROLE[,ROLE]", help: "what the key may do", choices: ROLES },
    team: { value: "TEAM[,TEAM]", help: "the teams whose sessions it sees" },
    scope: {
      value: "SCOPE[,SCOPE]",
      help: `what it may do over MCP (default ${STANDARD_SCOPES.join(",")})`,
      choices: SCOPES,
    },
    days: { value: "N", help: `how long it is valid (default ${DEFAULT_DAYS}; 0: without end)` },
    ...JSON_OPTION,
  },
  run: async (call) => {
    const [action, subject] = call.positionals;
    if (action === "add") {
      const key = newKey(call, subject);
      return withDatabase(call, async (db) => add(db, call, key));
    }
    if (action === "list" && subject === undefined) return withDatabase(call, async (db) => list(db, call));
    if (action === "revoke") {
      if (subject === undefined) throw new UsageError("name the id of one key");
      return withDatabase(call, async (db) => revoke(db, call, subject));
    }
    throw new UsageError(`keys ${action ?? ""}: use add, list or revoke`);
  },
};

type NewKey = Parameters<typeof addApiKey>[1];

function newKey({ option }: CommandCall, subject: string | undefined): NewKey {
  if (subject === undefined) throw new UsageError("name the holder of the key");
  for (const name of [subject, ...parts(option("team"))]) {
    const { text } = maskByRules(name, RULES_OF_NAMES, { known: [] });
    if (text !== name) throw new UsageError("the name of a holder or a team looks like a secret");
  }
  const days = option("days") ?? DEFAULT_DAYS;
  if (!/^\d{1,5}$/u.test(days)) throw new UsageError(`--days is "${days}": give a whole number`);
  const roles = parts(option("role")).map(readRole);
  if (roles.length === 0) throw new UsageError(`--role is missing: one of ${ROLES.join(", ")}`);
  const scopes = option("scope") === undefined ? undefined : parts(option("scope")).map(readScope);
  const expiresInDays = Number(days) === 0 ? undefined : Number(days);
  return { subject, roles, teams: parts(option("team")), scopes, expiresInDays };
}

async function add(db: Queryable, { terminal, flag }: CommandCall, key: NewKey): Promise<number> {
  const { id, text } = await addApiKey(db, key);
  terminal.write(flag("json") ? `${JSON.stringify({ id, key: text })}\n` : `${text}\n`);
  return EXIT.done;
}

async function list(db: Queryable, { terminal, flag }: CommandCall): Promise<number> {
  const rows = await listApiKeys(db);
  if (flag("json")) {
    terminal.write(`${JSON.stringify(rows)}\n`);
    return EXIT.done;
  }
  const lines = rows.map(({ id, subject, roles, teams, scopes, expires_at, revoked_at }) => {
    const state = revoked_at === null ? `until ${expires_at ?? "revoked"}` : `revoked ${revoked_at}`;
    return [id, subject, roles.join(","), teams.join(",") || "-", scopes.join(","), state].join("  ");
  });
  terminal.write(lines.length === 0 ? "no keys\n" : `${lines.join("\n")}\n`);
  return EXIT.done;
}

async function revoke(db: Queryable, { terminal, flag }: CommandCall, id: string): Promise<number> {
  const isRevoked = await revokeApiKey(db, id);
  if (!isRevoked) throw new Error(`there is no key ${id}: keys list shows the ids`);
  terminal.write(flag("json") ? `${JSON.stringify({ id, revoked: true })}\n` : `${id} is revoked\n`);
  return EXIT.done;
}

async function withDatabase({ env }: CommandCall, work: (db: Queryable) => Promise<number>): Promise<number> {
  const client = await connectAsOwner(env);
  try {
    return await work({
      query: async (sql: string, values?: unknown[]) => {
        const { rows } = await client.query<object>(sql, values);
        return rows;
      },
    });
  } finally {
    await client.end();
  }
}

function parts(text: string | undefined): string[] {
  return (text ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function readScope(text: string): Scope {
  const scope = SCOPES.find((known) => known === text);
  if (scope === undefined) throw new UsageError(`--scope is "${text}": use ${SCOPES.join(", ")}`);
  return scope;
}

function readRole(text: string): Role {
  const role = ROLES.find((known) => known === text);
  if (role === undefined) throw new UsageError(`--role is "${text}": use ${ROLES.join(", ")}`);
  return role;
}
