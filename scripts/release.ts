import { join } from "node:path";
import { parseArgs } from "node:util";
import { errorMessage } from "#shared/errors.ts";
import { ReleaseRefused, runRelease } from "./release/run-release.ts";

const USAGE = `Makes a release in this checkout: version, changelog, SBOM, commit and tag. Pushes nothing.

  npm run release -- [--dry-run] [--date DAY] VERSION

  --dry-run    prints what would be done, and changes nothing
  --date DAY   the day of the release, such as 2026-11-26 (today in UTC)
`;

/** Exit code: 0 released, 1 refused or failed, 2 for an invalid command line. */
async function main(args: readonly string[]): Promise<number> {
  const options = {
    "dry-run": { type: "boolean" },
    date: { type: "string", default: new Date().toISOString().slice(0, 10) },
    help: { type: "boolean" },
  } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [version, ...others] = positionals;
  if (values.help === true) {
    process.stdout.write(USAGE);
    return 0;
  }
  const isDay = /^\d{4}-\d\d-\d\d$/u.test(values.date) && !Number.isNaN(Date.parse(values.date));
  if (version === undefined || others.length > 0 || !isDay) {
    process.stderr.write(USAGE);
    return 2;
  }
  await runRelease({
    root: join(import.meta.dirname, ".."),
    version,
    date: values.date,
    isDry: values["dry-run"] === true,
    print: (line) => void process.stdout.write(`${line}\n`),
  });
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const isUsage = error instanceof TypeError && "code" in error;
  const advice =
    error instanceof ReleaseRefused || isUsage ? "" : "; `git restore .` takes back what was written";
  process.stderr.write(`release: ${errorMessage(error)}${advice}\n`);
  process.exitCode = isUsage ? 2 : 1;
}
