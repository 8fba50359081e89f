import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { baselineHash, baselineTables } from "#shared/database/schema/baseline-sql.ts";
import { PAST_TRIGGERS, pastFunction, pastFunctions } from "#shared/database/past/past-triggers.ts";

/** The baseline files that `npm run schemas` writes, below the root of the repository. */
export const BASELINE_FILE = "shared/generated/baseline.ts";

const FROZEN = /^## 0\.1\.0 \(\d{4}-\d\d-\d\d\)\n\n.*`([0-9a-f]{16})`/mu;

/**
 * The hash of the baseline with which 0.1.0 was released, by the first line of its entry in CHANGELOG.md; undefined before the release.
 * The baseline may not change any more once there is one.
 */
export async function frozenBaseline(root: string): Promise<string | undefined> {
  return FROZEN.exec(await readFile(join(root, "CHANGELOG.md"), "utf8"))?.[1];
}

/** The text of BASELINE_FILE: the tables as they are declared, the functions and triggers that keep their past, and the hash of both. */
export function baselineFile(): string {
  const sql = (schema: string): string =>
    `\n${[...pastFunctions(schema), ...PAST_TRIGGERS.map(createTrigger)].join(";\n\n")};\n`;
  const tables = baselineTables();
  return `// Written by \`npm run schemas\`.

/** The hash of the baseline's statements. */
export const BASELINE_HASH = "${baselineHash(tables, sql)}";

/** The statements that create the tables. */
export const BASELINE_TABLES = ${asLiteral(tables)};

/** The statements that create the triggers of the past; \`schema\` is the quoted identifier of the tables' schema. */
export const pastTriggersSql = (schema: string): string => \`${sql("${schema}")}\`;
`;
}

/** SQL as a template literal. */
const asLiteral = (sql: string): string => `\`\n${sql.replaceAll(/[\\`]|\$(?=\{)/gu, String.raw`\$&`)}\``;

function createTrigger({ name, table, after, condition }: (typeof PAST_TRIGGERS)[number]): string {
  const when = condition === undefined ? "" : `\n  WHEN (${condition})`;
  return `CREATE TRIGGER ${name} AFTER ${after} ON ${table} FOR EACH ROW${when} EXECUTE FUNCTION ${pastFunction({ name })}()`;
}

if (import.meta.main) {
  const root = join(import.meta.dirname, "..");
  // Once 0.1.0 is released, each change of the schema is a migration.
  if ((await frozenBaseline(root)) === undefined) await writeFile(join(root, BASELINE_FILE), baselineFile());
}
