import { Client } from "pg";
import { errorMessage } from "#shared/errors.ts";
import { databaseUrlOf } from "./database-url.ts";
import { runKeys, KEYS_USAGE } from "./keys.ts";

const USAGE = `Usage: npm run tarsy -- COMMAND

${KEYS_USAGE}
The database is that of DATABASE_URL, as its owner, or else that of the \`npm start\` that runs in this checkout.
`;

/** Runs one command; resolves with the exit code: 0, 1 for a failure, 2 for invalid arguments. */
async function run([command, ...args]: readonly string[]): Promise<number> {
  if (command !== "keys") {
    const isHelp = command === "help" || command === "--help";
    (isHelp ? process.stdout : process.stderr).write(USAGE);
    return isHelp ? 0 : 2;
  }
  const db = new Client({ connectionString: databaseUrlOf(process.env), connectionTimeoutMillis: 10_000 });
  await db.connect();
  try {
    const queryable = {
      query: async (sql: string, values?: unknown[]) => {
        const { rows } = await db.query<object>(sql, values);
        return rows;
      },
    };
    return await runKeys(queryable, args, (text) => void process.stdout.write(text));
  } finally {
    await db.end();
  }
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exitCode = 1;
}
