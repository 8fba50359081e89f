/** True in `npm run test:nightly`: exhaustive loops and random seeds instead of a sample and fixed ones. */
export const NIGHTLY = process.env["TEST_NIGHTLY"] === "1";

/** A repetition count of a test: `daily` in `npm test`, `nightly` in the nightly run. */
export function repetitions({ daily, nightly }: { daily: number; nightly: number }): number {
  return NIGHTLY ? nightly : daily;
}

/** The numbers from 1 on that an exhaustive loop tries: all of them nightly, every third in `npm test`. */
export const STEP = NIGHTLY ? 1 : 3;

/** A random test's seed: the environment's SEED; else fixed in `npm test` and random in the nightly run, which prints it. */
export function testSeed(): number {
  const given = process.env["SEED"];
  if (given !== undefined) return Number(given);
  if (!NIGHTLY) return 20_261;
  const seed = Math.floor(Math.random() * 1_000_000);
  process.stdout.write(`SEED=${seed}\n`);
  return seed;
}
