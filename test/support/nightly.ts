/** True in `npm run test:nightly`: exhaustive loops and random seeds instead of a sample and fixed ones. */
export const NIGHTLY = process.env["TEST_NIGHTLY"] === "1";

/**
 * A suite of the whole system that runs in the nightly run alone: `npm test` has smaller tests of each of its promises, which
 * `docs/durability.md` names for losses and kills.
 */
export function describeNightly(title: string, body: (this: Mocha.Suite) => void): void {
  if (NIGHTLY) describe(title, body);
}

/** A case that runs in the nightly run alone, because the other cases of its suite, or smaller tests, have the core of its promise. */
export function itNightly(title: string, body: Mocha.Func | Mocha.AsyncFunc): void {
  if (NIGHTLY) it(title, body);
}

/** A repetition count of a test: `daily` in `npm test`, `nightly` in the nightly run. */
export function repetitions({ daily, nightly }: { daily: number; nightly: number }): number {
  return NIGHTLY ? nightly : daily;
}

/** The increment of an exhaustive loop: 1 in the nightly run, 3 in `npm test`. */
export const STEP = NIGHTLY ? 1 : 3;

/** The seed of a random test: SEED if set, else fixed in `npm test`, random and printed in the nightly run. */
export function testSeed(): number {
  const given = process.env["SEED"];
  if (given !== undefined) return Number(given);
  if (!NIGHTLY) return 20_261;
  const seed = Math.floor(Math.random() * 1_000_000);
  process.stdout.write(`SEED=${seed}\n`);
  return seed;
}
