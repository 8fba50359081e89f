import type { Masker } from "#shared/masking/masker.ts";
import type { MaskedValue } from "#shared/masking/mask-context.ts";
import { RULES_OF_NAMES, type MaskingRules } from "#shared/masking/masking-rules.ts";
import type { TextOrigin } from "#shared/masking/text-doors.ts";
import { postgresSafeValue } from "#shared/postgres-safe-value.ts";
import type { TableRows } from "./session-rows.ts";

/** Texts of these origins are free ones. */
const FREE: ReadonlySet<TextOrigin> = new Set<TextOrigin>(["alert", "person", "other", "model", "copies"]);
/** These are names. */
const NAMES: ReadonlySet<TextOrigin> = new Set<TextOrigin>(["caller", "config"]);

/** Masks the texts of an imported session's rows, as their tables say. Throws TerminalError `masking_failed`. */
export async function maskRows(
  tables: readonly TableRows[],
  { masker, rules, key }: { readonly masker: Masker; readonly rules: MaskingRules; readonly key: string },
): Promise<readonly TableRows[]> {
  const seen: MaskedValue[] = [];
  const maskWith = (own: MaskingRules) => async (text: string) => {
    const masked = await masker.mask(text, { rules: own, key, seen });
    seen.push(...masked.values);
    return masked.text;
  };
  const [maskText, maskName] = [maskWith(rules), maskWith(RULES_OF_NAMES)];
  const masked: TableRows[] = [];
  for (const { table, rows: given } of tables) {
    const clean = [];
    for (const row of given) {
      const members: [string, unknown][] = [];
      for (const [name, value] of Object.entries(row)) {
        const column = table.columns[name];
        const from = column !== undefined && "from" in column ? column.from : "ours";
        const mask = FREE.has(from) ? maskText : NAMES.has(from) ? maskName : undefined;
        members.push([name, mask === undefined ? value : await maskValue(value, mask)]);
      }
      clean.push(Object.fromEntries(members));
    }
    masked.push({ table, rows: clean });
  }
  return masked;
}

async function maskValue(value: unknown, mask: (text: string) => Promise<string>): Promise<unknown> {
  if (typeof value === "string") return value === "" ? value : mask(value);
  if (typeof value !== "object" || value === null) return value;
  const text = await mask(JSON.stringify(value));
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed;
  } catch {
    return { withheld: "masking left no JSON" };
  }
}

/** A connection in which transactions are begun by statements. */
interface Connection {
  readonly query: (sql: string, values?: unknown[]) => Promise<{ readonly rowCount: number | null }>;
}

/** Inserts a session whole or not at all; false if there is one with its id. Throws database errors. */
export async function storeSession(db: Connection, tables: readonly TableRows[]): Promise<boolean> {
  await db.query("BEGIN");
  try {
    for (const [at, { table, rows }] of tables.entries()) {
      const [first] = rows;
      if (first === undefined) continue;
      const columns = Object.keys(first).join(", ");
      const { rowCount } = await db.query(
        `INSERT INTO ${table.name} (${columns}) SELECT ${columns} FROM jsonb_populate_recordset(NULL::${table.name}, $1::jsonb) ON CONFLICT DO NOTHING`,
        [JSON.stringify(postgresSafeValue(rows))],
      );
      if (at > 0 || rowCount === 1) continue;
      await db.query("ROLLBACK");
      return false;
    }
    await db.query("COMMIT");
    return true;
  } catch (error) {
    await db.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}
