import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";

const KEEP = [
  "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$",
  "CREATE TRIGGER keep BEFORE DELETE ON alert_sessions FOR EACH ROW EXECUTE FUNCTION keep()",
];

/** Keeps the sessions of an evaluation, which deletes each that has ended: all can be searched at once afterwards. */
export async function keepSessions(db: Queryable): Promise<void> {
  for (const statement of KEEP) await db.query(statement);
}

const parseName = compileParser("table", Type.Object({ name: Type.String() }));
const TABLES = `
SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`;

const parseFound = compileParser("rows", Type.Object({ is_found: Type.Boolean() }));

/** The tables that have a text in any column of any row, events included. */
export async function tablesWith(db: Queryable, text: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { name } of await selectRows(db, parseName, TABLES, [])) {
    const search = `SELECT EXISTS (SELECT FROM ${name} t WHERE strpos(t::text, $1) > 0) AS is_found`;
    const [row] = await selectRows(db, parseFound, search, [text]);
    if (row?.is_found === true) found.push(name);
  }
  return found;
}
