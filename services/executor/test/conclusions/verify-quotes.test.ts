import { expect } from "chai";
import { NIGHTLY, repetitions, testSeed } from "../../../../test/support/nightly.ts";
import { seededRandom } from "../../../../test/support/seeded-random.ts";
import { verifyQuotes, type Citation } from "../../features/conclusions/verify-quotes.ts";
import { FALSE_QUOTES } from "./false-quotes.ts";
import type { MakeQuote } from "./quote-kinds.ts";
import { realTexts } from "./real-texts.ts";
import { TRUE_QUOTES } from "./true-quotes.ts";

/** Quotes of all kinds together. `TEST_NIGHTLY=1 SEED=7` makes thousands of another seed. */
const QUOTES = repetitions({ daily: 200, nightly: 4_000 });
const MAX_TRIES = 200;
const CLAIMS = 20;

const TEXTS = realTexts();
const SOURCES = TEXTS.map(({ id, text }) => ({ id, text, kind: "result" as const }));

interface Tried {
  readonly kind: string;
  readonly citation: Citation;
}

/** Quotes of real results, each kind as often. */
function quotesOf(kinds: Readonly<Record<string, MakeQuote>>, seed: number): Tried[] {
  const random = seededRandom(seed);
  const names = Object.keys(kinds);
  return Array.from({ length: QUOTES }, (_, at) => names[at % names.length] ?? "").flatMap((kind) => {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const text = TEXTS[Math.floor(random() * TEXTS.length)];
      const made = text === undefined ? null : (kinds[kind]?.(text, random, TEXTS) ?? null);
      if (made === null || text === undefined) continue;
      const citation = { claim_id: "c1", list: "claim", source: text.id, lines: "", ...made } as const;
      return [{ kind, citation }];
    }
    return [];
  });
}

/** The quotes that are verified and those that are not, with their outcomes. */
function outcomesOf(tried: readonly Tried[]) {
  const outcomes: (Tried & { readonly isVerified: boolean; readonly found: string })[] = [];
  for (let from = 0; from < tried.length; from += CLAIMS) {
    const some = tried.slice(from, from + CLAIMS);
    verifyQuotes(
      some.map(({ citation }) => citation),
      SOURCES,
    ).forEach((checked, at) => {
      const one = some[at];
      if (one === undefined) return;
      outcomes.push({ ...one, isVerified: checked.outcome === "verified", found: JSON.stringify(checked) });
    });
  }
  return outcomes;
}

function show(outcomes: ReturnType<typeof outcomesOf>): string {
  return outcomes
    .map(({ kind, citation, found }) => `${kind}: ${JSON.stringify(citation)}\n  ${found}`)
    .join("\n");
}

describe("verifyQuotes, with quotes of real results", function () {
  this.timeout(300_000);

  it("verifies at least 98.5 % of the true ones", () => {
    const outcomes = outcomesOf(quotesOf(TRUE_QUOTES, testSeed()));
    const refused = outcomes.filter(({ isVerified }) => !isVerified);
    if (NIGHTLY) process.stdout.write(`${refused.length} of ${outcomes.length} true quotes refused\n`);
    expect(outcomes.length).to.be.greaterThan(QUOTES * 0.9);
    expect(refused.length / outcomes.length, show(refused)).to.be.at.most(0.015);
  });

  it("verifies at most 1.5 % of the false ones, and none of what must be exact", () => {
    const kinds = Object.fromEntries(Object.entries(FALSE_QUOTES).map(([kind, { make }]) => [kind, make]));
    const outcomes = outcomesOf(quotesOf(kinds, testSeed() + 1));
    const verified = outcomes.filter(({ isVerified }) => isVerified);
    if (NIGHTLY) process.stdout.write(`${verified.length} of ${outcomes.length} false quotes verified\n`);
    expect(outcomes.length).to.be.greaterThan(QUOTES * 0.9);
    const exact = verified.filter(({ kind }) => FALSE_QUOTES[kind]?.isExact);
    expect(exact, show(exact)).to.be.empty;
    expect(verified.length / outcomes.length, show(verified)).to.be.at.most(0.015);
  });
});
