import { randomInt } from "node:crypto";
import { expect } from "chai";
import { seededRandom } from "../../../test/support/seeded-random.ts";
import { type ChargedTokens, priceCall, type CostEstimation } from "../price-call.ts";
import { PRICE_SNAPSHOT, type PriceFamily } from "../price-snapshot.ts";
import { readRates, type WrittenRates } from "../rates.ts";
import { ratePerToken, usdText } from "../usd.ts";

const NONE: ChargedTokens = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, thinking: 0 };
const MILLION = 1_000_000;

function estimation(settings: Partial<CostEstimation> = {}): CostEstimation {
  return { enabled: true, modelRates: new Map(), promotions: [], ...settings };
}

/** The price in decimal text, and its source; null for none. */
function priced(
  settings: Partial<CostEstimation>,
  provider: { type: string; model: string },
  tokens: Partial<ChargedTokens> = {},
  at = "2026-06-01T00:00:00Z",
): readonly [string, string] | null {
  const price = priceCall(estimation(settings), provider, { ...NONE, ...tokens }, Date.parse(at));
  return price === null ? null : [usdText(price.usd), price.source];
}

const rates = (input: number, output: number, more: Partial<WrittenRates> = {}): WrittenRates => ({
  input_per_million: input,
  output_per_million: output,
  ...more,
});
const SNAPSHOT = `snapshot:${PRICE_SNAPSHOT.date}`;

describe("priceCall", () => {
  it("prices a million tokens of input and of output by the operator's rates", () => {
    const modelRates = new Map([["mine", rates(1, 2)]]);
    const tokens = { input: MILLION, output: MILLION };
    expect(priced({ modelRates }, { type: "openai", model: "mine" }, tokens)).to.deep.equal([
      "3.000000000000",
      "override",
    ]);
  });

  it("counts cached input, writes to the cache and thinking once, each at its own rate", () => {
    const own = { cached_input_per_million: 0.1, cache_write_per_million: 1.25, reasoning_per_million: 4 };
    const tokens = { input: 10, cachedInput: 3, cacheWrite: 2, output: 7, thinking: 5 };
    const provider = { type: "openai", model: "mine" };
    // 5 · 1 + 3 · 0.1 + 2 · 1.25 + 7 · 2 + 5 · 4
    expect(priced({ modelRates: new Map([["mine", rates(1, 2, own)]]) }, provider, tokens)?.[0]).to.equal(
      "0.000041800000",
    );
    // 10 · 1 + 12 · 2
    expect(priced({ modelRates: new Map([["mine", rates(1, 2)]]) }, provider, tokens)?.[0]).to.equal(
      "0.000034000000",
    );
  });

  it("takes a promotion before the operator's rates, from its start until before its end", () => {
    const settings = {
      modelRates: new Map([["gpt-5", rates(2, 2)]]),
      promotions: [
        {
          ...rates(1, 1),
          id: "june",
          model: "gpt-5",
          startMs: Date.parse("2026-06-01T00:00:00Z"),
          endMs: Date.parse("2026-07-01T00:00:00Z"),
        },
      ],
    };
    const at = (time: string) =>
      priced(settings, { type: "openai", model: "gpt-5" }, { input: MILLION }, time);
    expect(at("2026-05-31T23:59:59.999Z")).to.deep.equal(["2.000000000000", "override"]);
    expect(at("2026-06-01T00:00:00Z")).to.deep.equal(["1.000000000000", "promotion:june"]);
    expect(at("2026-06-30T23:59:59.999Z")).to.deep.equal(["1.000000000000", "promotion:june"]);
    expect(at("2026-07-01T00:00:00Z")).to.deep.equal(["2.000000000000", "override"]);
  });

  it("names a promotion without an id by its model, and lets one without ends always hold", () => {
    const promotions = [{ ...rates(0, 0), model: "gpt-5" }];
    expect(priced({ promotions }, { type: "openai", model: "gpt-5" }, { input: 5 })).to.deep.equal([
      "0.000000000000",
      "promotion:gpt-5",
    ]);
  });

  it("takes the tier of the whole call's input", () => {
    const gemini = { type: "google", model: "gemini-2.5-pro" };
    expect(priced({}, gemini, { input: 200_000, output: 1000 })).to.deep.equal(["0.260000000000", SNAPSHOT]);
    expect(priced({}, gemini, { input: 200_001, output: 1000 })?.[0]).to.equal("0.515002500000");
  });

  const million = { input: MILLION };
  for (const [type, model, usd] of [
    ["openai", "gpt-5", "1.25"],
    ["openai", "gpt-5-2025-08-07", "1.25"],
    ["openai", "gpt-4o-2024-05-13", "5"],
    ["azure", "gpt-4o", "2.5"],
    ["anthropic", "claude-opus-4-5-20251101", "5"],
    ["vertexai", "claude-haiku-4-5@20251001", "1"],
    ["vertexai", "gemini-2.5-flash", "0.3"],
    ["bedrock", "us.anthropic.claude-haiku-4-5-20251001-v1:0", "1"],
    ["bedrock", "anthropic.claude-3-haiku-20240307-v1:0", "0.25"],
    ["openrouter", "anthropic/claude-opus-4.5", "5"],
    ["openrouter", "openai/gpt-5", "1.25"],
    ["google", "models/gemini-2.5-flash", "0.3"],
    ["groq", "openai/gpt-oss-120b", "0.15"],
    ["xai", "grok-4", "3"],
    ["deepseek", "deepseek-v4-pro", "0.66"],
    // A proxy with OpenAI's API.
    ["openai", "claude-opus-4-5", "5"],
  ] as const) {
    it(`knows ${model} of a provider of type ${type}`, () => {
      expect(Number(priced({}, { type, model }, million)?.[0])).to.equal(Number(usd));
    });
  }

  for (const [type, model] of [
    ["openai", "qwen3:8b"],
    ["openai", "gpt-55"],
    ["openai", "gpt-5-unheard-of"],
    ["scripted", "scripted"],
    ["mistral", "mistral-large-latest"],
    // Not Groq's, whose price it is.
    ["openrouter", "openai/gpt-oss-120b"],
    ["openrouter", "deepseek/deepseek-v4-pro"],
    ["openai", "constructor"],
    ["openai", "__proto__"],
  ] as const) {
    it(`has no price for ${model} of a provider of type ${type}`, () => {
      expect(priced({}, { type, model }, million)).to.equal(null);
    });
  }

  it("prices nothing while estimation is off", () => {
    const settings = { enabled: false, modelRates: new Map([["gpt-5", rates(1, 1)]]) };
    expect(priced(settings, { type: "openai", model: "gpt-5" }, million)).to.equal(null);
  });

  it("equals the exact rational for random rates and tokens, in each call and in the sum", () => {
    const seed = randomInt(2 ** 31);
    const random = seededRandom(seed);
    const upTo = (limit: number) => Math.floor(random() * limit);
    let sum = 0n;
    let exactSum = 0n;
    for (let round = 0; round < 2_000; round += 1) {
      const decimals = upTo(7);
      const numerators = Array.from({ length: 5 }, () => BigInt(upTo(100_000)));
      const [input = 0, output = 0, cached = 0, write = 0, reasoning = 0] = numerators.map((numerator) =>
        Number(`${numerator}e-${decimals}`),
      );
      const tokens = { input: upTo(2_000_000), output: upTo(200_000), thinking: upTo(200_000) };
      const cachedInput = upTo(tokens.input);
      const cacheWrite = upTo(tokens.input - cachedInput);
      const more = {
        cached_input_per_million: cached,
        cache_write_per_million: write,
        reasoning_per_million: reasoning,
      };
      const settings = { modelRates: new Map([["m", rates(input, output, more)]]) };
      const price = priceCall(
        estimation(settings),
        { type: "x", model: "m" },
        { ...tokens, cachedInput, cacheWrite },
        0,
      );
      // In units of 10^-12 USD: tokens · numerator / 10^decimals / 10^6.
      const counts = [
        tokens.input - cachedInput - cacheWrite,
        tokens.output,
        cachedInput,
        cacheWrite,
        tokens.thinking,
      ];
      const exact = counts.reduce(
        (total, count, index) =>
          total + BigInt(count) * (numerators[index] ?? 0n) * 10n ** BigInt(6 - decimals),
        0n,
      );
      expect(price?.usd, `seed ${seed}, round ${round}`).to.equal(exact);
      sum += price?.usd ?? 0n;
      exactSum += exact;
    }
    expect(usdText(sum)).to.equal(usdText(exactSum));
  });
});

describe("ratePerToken", () => {
  for (const [rate, picodollars] of [
    [0, 0n],
    [3, 3_000_000n],
    [0.075, 75_000n],
    [0.000001, 1n],
    [1e-6, 1n],
    [100_000, 100_000_000_000n],
    [1e21, 10n ** 27n],
  ] as const) {
    it(`reads ${rate}`, () => expect(ratePerToken(rate)).to.equal(picodollars));
  }
  for (const rate of [-1, 0.0000001, 1.2345678, NaN, Infinity]) {
    it(`refuses ${rate}`, () => expect(ratePerToken(rate)).to.equal(undefined));
  }
});

describe("the price snapshot", () => {
  const families: readonly (readonly [string, PriceFamily])[] = Object.entries(PRICE_SNAPSHOT.families);

  it("has a day, and a source for every provider", () => {
    expect(PRICE_SNAPSHOT.date).to.match(/^\d{4}-\d{2}-\d{2}$/u);
    for (const [, { source }] of families) expect(source).to.match(/^https:\/\//u);
  });

  it("has exact rates, cached input not dearer than input, and tiers that rise", () => {
    for (const [, { models }] of families) {
      for (const [model, price] of Object.entries(models)) {
        let above = 0;
        for (const written of [price, ...(price.tiers ?? [])]) {
          const read = readRates(written);
          expect(read.cachedInput <= read.input, model).to.equal(true);
          expect(read.output >= read.input, model).to.equal(true);
        }
        for (const tier of price.tiers ?? []) {
          expect(tier.above, model).to.be.greaterThan(above);
          above = tier.above;
        }
      }
    }
  });
});
