import type { ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import { priceCall, type CostEstimation } from "#shared/pricing/price-call.ts";
import { usdText, type Picodollars } from "#shared/pricing/usd.ts";
import type { Pricing } from "../llm/llm-interaction-row.ts";

/** The longest answer under a budget, in tokens, of a provider whose configuration sets no `max_output_tokens`. */
const BUDGETED_OUTPUT_TOKENS = 8_192;

/** Tokens that a provider's API may add to the texts of a request: marks of roles, of tools, and of the whole, in tokens. */
const MARKS_PER_ITEM = 16;
const MARKS = 256;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** The most that a call can use. */
export interface CallBound {
  /** Decimal text; null if the model has no price. */
  readonly usd: string | null;
  readonly tokens: number;
  readonly calls: number;
}

/** The longest answer of a provider under a budget, in tokens. */
export function outputLimit({ max_output_tokens }: Pick<ResolvedProvider, "max_output_tokens">): number {
  return max_output_tokens ?? BUDGETED_OUTPUT_TOKENS;
}

/** The most tokens of input that a request can be: a token of a text has at least one byte. */
export function inputBound(request: GenerateRequest): number {
  const items = request.messages.length + request.tools.length;
  return GenerateRequest.encode(request).finish().length + items * MARKS_PER_ITEM + MARKS;
}

/**
 * The most that a call with so much input can use: every try of the gateway may be charged, with the longest answer, at the
 * highest of the rates that may apply until the call ends.
 */
export function callBound(
  { llm: { costEstimation, tries }, clock }: Pricing,
  provider: Pick<ResolvedProvider, "type" | "model" | "max_output_tokens">,
  input: number,
): CallBound {
  const output = outputLimit(provider);
  const usd = highestPrice(costEstimation, provider, { input, output }, clock.databaseNow());
  return {
    usd: usd === null ? null : usdText(usd * BigInt(tries)),
    tokens: (input + output) * tries,
    calls: 1,
  };
}

function highestPrice(
  { enabled, modelRates, promotions }: CostEstimation,
  provider: { readonly type: string; readonly model: string },
  { input, output }: { readonly input: number; readonly output: number },
  nowMs: number,
): Picodollars | null {
  const near = promotions.filter(
    ({ model, startMs = -Infinity, endMs = Infinity }) =>
      model === provider.model && startMs < nowMs + DAY_MS && endMs > nowMs,
  );
  const settings = [[], ...near.map((promotion) => [ratesOf(promotion)])];
  const charged = [0, input].flatMap((cacheWrite) => [
    { input, cachedInput: 0, cacheWrite, output, thinking: 0 },
    { input, cachedInput: 0, cacheWrite, output: 0, thinking: output },
  ]);
  const prices = settings.flatMap((applied) =>
    charged.map((tokens) => priceCall({ enabled, modelRates, promotions: applied }, provider, tokens, nowMs)),
  );
  const known = prices.flatMap((price) => (price === null ? [] : [price.usd]));
  return known.length === 0 ? null : known.reduce((most, usd) => (usd > most ? usd : most), 0n);
}

/** A promotion without its time. */
function ratesOf(promotion: CostEstimation["promotions"][number]): CostEstimation["promotions"][number] {
  const { startMs: _start, endMs: _end, ...rates } = promotion;
  return rates;
}
