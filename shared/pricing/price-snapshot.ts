import type { WrittenRates } from "#shared/pricing/rates.ts";

/** The prices of a model; a tier replaces them for calls with more input than `above` tokens. */
export interface ModelPrice extends WrittenRates {
  readonly tiers?: readonly (WrittenRates & { readonly above: number })[];
}

/** The models of one provider. */
export interface PriceFamily {
  /** The price list that the numbers were taken from. */
  readonly source: string;
  readonly models: Readonly<Record<string, ModelPrice>>;
}

/** Input, output and, where they differ from the input's, cached input and writes to the cache. */
function usd(input: number, output: number, cached?: number, write?: number): WrittenRates {
  return {
    input_per_million: input,
    output_per_million: output,
    ...(cached === undefined ? {} : { cached_input_per_million: cached }),
    ...(write === undefined ? {} : { cache_write_per_million: write }),
  };
}

function tiered(base: WrittenRates, above: number, higher: WrittenRates): ModelPrice {
  return { ...base, tiers: [{ above, ...higher }] };
}

/**
 * List prices in USD per million tokens of the providers' standard service, as published on this day: no batch, priority or
 * regional prices, none for searches or images, no discounts by the hour (DeepSeek's prices are those outside its peak hours).
 * Names that a provider moves from one model to the next (`…-latest`) have no price.
 * A dated version of a model that is not listed costs what the model does.
 */
export const PRICE_SNAPSHOT = {
  date: "2026-11-23",
  families: {
    openai: {
      source: "https://platform.openai.com/docs/pricing",
      models: {
        "gpt-6-astra": tiered(usd(10, 50, 1, 12.5), 272_000, usd(20, 75, 2, 25)),
        "gpt-6.1-sol": tiered(usd(2, 10, 0.1, 2.5), 272_000, usd(4, 15, 0.2, 5)),
        "gpt-6.1-terra": tiered(usd(1, 5, 0.05, 1.25), 272_000, usd(2, 7.5, 0.1, 2.5)),
        "gpt-6-sol": tiered(usd(2, 10, 0.2, 2.5), 272_000, usd(4, 15, 0.4, 5)),
        "gpt-6-luna": tiered(usd(0.1, 0.5, 0.01, 0.125), 272_000, usd(0.2, 0.75, 0.02, 0.25)),
        "gpt-5.6-sol": tiered(usd(4, 20, 0.4, 5), 272_000, usd(8, 30, 0.8, 10)),
        "gpt-5.6-terra": tiered(usd(2, 12, 0.2, 2.5), 272_000, usd(4, 18, 0.4, 5)),
        "gpt-5.6-luna": tiered(usd(0.2, 1.2, 0.02, 0.25), 272_000, usd(0.4, 1.8, 0.04, 0.5)),
        "gpt-5.5": tiered(usd(5, 30, 0.5), 272_000, usd(10, 45, 1)),
        "gpt-5.5-pro": tiered(usd(30, 180), 272_000, usd(60, 270)),
        "gpt-5.4": tiered(usd(2.5, 15, 0.25), 272_000, usd(5, 22.5, 0.5)),
        "gpt-5.4-mini": usd(0.75, 4.5, 0.075),
        "gpt-5.4-nano": usd(0.2, 1.25, 0.02),
        "gpt-5.4-pro": tiered(usd(30, 180), 272_000, usd(60, 270)),
        "gpt-5.3-codex": usd(1.75, 14, 0.175),
        "gpt-5.2": usd(1.75, 14, 0.175),
        "gpt-5.2-pro": usd(21, 168),
        "gpt-5.1": usd(1.25, 10, 0.125),
        "gpt-5": usd(1.25, 10, 0.125),
        "gpt-5-mini": usd(0.25, 2, 0.025),
        "gpt-5-nano": usd(0.05, 0.4, 0.005),
        "gpt-5-pro": usd(15, 120),
        "gpt-4.1": usd(2, 8, 0.5),
        "gpt-4.1-mini": usd(0.4, 1.6, 0.1),
        "gpt-4.1-nano": usd(0.1, 0.4, 0.025),
        "gpt-4o": usd(2.5, 10, 1.25),
        "gpt-4o-2024-05-13": usd(5, 15),
        "gpt-4o-mini": usd(0.15, 0.6, 0.075),
        "gpt-4-turbo": usd(10, 30),
        "gpt-3.5-turbo": usd(0.5, 1.5),
        "gpt-3.5-turbo-1106": usd(1, 2),
        o1: usd(15, 60, 7.5),
        "o1-pro": usd(150, 600),
        o3: usd(2, 8, 0.5),
        "o3-pro": usd(20, 80),
        "o3-mini": usd(1.1, 4.4, 0.55),
        "o4-mini": usd(1.1, 4.4, 0.275),
      },
    },
    anthropic: {
      source: "https://platform.claude.com/docs/en/about-claude/pricing",
      models: {
        "claude-fable-5-2": usd(8, 40, 0.2, 10),
        "claude-fable-5-1": usd(10, 50, 0.25, 12.5),
        "claude-fable-5": usd(10, 50, 1, 12.5),
        "claude-opus-5-5": usd(4, 20, 0.2, 5),
        "claude-opus-5": usd(5, 25, 0.5, 6.25),
        "claude-opus-4-8": usd(5, 25, 0.5, 6.25),
        "claude-opus-4-7": usd(5, 25, 0.5, 6.25),
        "claude-opus-4-6": usd(5, 25, 0.5, 6.25),
        "claude-opus-4-5": usd(5, 25, 0.5, 6.25),
        "claude-opus-4-1": usd(15, 75, 1.5, 18.75),
        "claude-opus-4": usd(15, 75, 1.5, 18.75),
        "claude-opus-4-0": usd(15, 75, 1.5, 18.75),
        "claude-sonnet-5-5": usd(2, 10, 0.1, 2.5),
        "claude-sonnet-5": usd(2, 10, 0.2, 2.5),
        "claude-sonnet-4-6": usd(3, 15, 0.3, 3.75),
        "claude-sonnet-4-5": tiered(usd(3, 15, 0.3, 3.75), 200_000, usd(6, 22.5, 0.6, 7.5)),
        "claude-sonnet-4": tiered(usd(3, 15, 0.3, 3.75), 200_000, usd(6, 22.5, 0.6, 7.5)),
        "claude-sonnet-4-0": tiered(usd(3, 15, 0.3, 3.75), 200_000, usd(6, 22.5, 0.6, 7.5)),
        "claude-3-7-sonnet": usd(3, 15, 0.3, 3.75),
        "claude-haiku-5-5": tiered(usd(0.1, 0.5, 0.01, 0.125), 100_000, usd(0.5, 2.5, 0.05, 0.625)),
        "claude-haiku-4-5": usd(1, 5, 0.1, 1.25),
        "claude-3-5-haiku": usd(0.8, 4, 0.08, 1),
        "claude-3-haiku": usd(0.25, 1.25, 0.03, 0.3),
      },
    },
    google: {
      source: "https://ai.google.dev/gemini-api/docs/pricing",
      models: {
        "gemini-3.8-flash": usd(0.75, 3.75, 0.075),
        "gemini-3.7-flash": usd(0.75, 3.75, 0.075),
        "gemini-3.6-flash": usd(0.75, 3.75, 0.075),
        "gemini-3.5-flash": usd(1.5, 9, 0.15),
        "gemini-3.5-flash-lite": usd(0.3, 2.5, 0.03),
        "gemini-3.1-flash-lite": usd(0.25, 1.5, 0.025),
        "gemini-3.1-pro-preview": tiered(usd(2, 12, 0.2), 200_000, usd(4, 18, 0.4)),
        "gemini-3-pro-preview": tiered(usd(2, 12, 0.2), 200_000, usd(4, 18, 0.4)),
        "gemini-3-flash-preview": usd(0.5, 3, 0.05),
        "gemini-2.5-pro": tiered(usd(1.25, 10, 0.125), 200_000, usd(2.5, 15, 0.25)),
        "gemini-2.5-flash": usd(0.3, 2.5, 0.03),
        "gemini-2.5-flash-lite": usd(0.1, 0.4, 0.01),
        "gemini-2.0-flash": usd(0.1, 0.4, 0.025),
        "gemini-2.0-flash-lite": usd(0.075, 0.3),
      },
    },
    mistral: {
      source: "https://mistral.ai/pricing",
      models: {
        "mistral-large-4": usd(0.7, 2.1, 0.07),
        "mistral-large-2512": usd(0.5, 1.5, 0.05),
        "mistral-large-2411": usd(2, 6),
        "mistral-medium-3-5": usd(1.5, 7.5, 0.15),
        "mistral-medium-2508": usd(0.4, 2, 0.04),
        "mistral-small-2603": usd(0.15, 0.6, 0.015),
        "codestral-2508": usd(0.3, 0.9, 0.03),
        "ministral-14b-2512": usd(0.2, 0.2, 0.02),
        "ministral-8b-2512": usd(0.15, 0.15, 0.015),
        "ministral-3b-2512": usd(0.1, 0.1, 0.01),
      },
    },
    deepseek: {
      source: "https://api-docs.deepseek.com/quick_start/pricing",
      models: {
        "deepseek-v4-pro": usd(0.66, 1.98, 0.022),
        "deepseek-v4-flash": usd(0.15, 0.6, 0.003),
      },
    },
    groq: {
      source: "https://groq.com/pricing",
      models: {
        "openai/gpt-oss-120b": usd(0.15, 0.6, 0.075),
        "openai/gpt-oss-20b": usd(0.075, 0.3, 0.0375),
        "llama-3.3-70b-versatile": usd(0.59, 0.79),
        "llama-3.1-8b-instant": usd(0.05, 0.08),
        "meta-llama/llama-4-maverick-17b-128e-instruct": usd(0.2, 0.6),
        "meta-llama/llama-4-scout-17b-16e-instruct": usd(0.11, 0.34),
        "moonshotai/kimi-k2-instruct-0905": usd(1, 3, 0.5),
        "qwen/qwen3-32b": usd(0.29, 0.59),
      },
    },
    xai: {
      source: "https://docs.x.ai/docs/models",
      models: {
        "grok-4.7": tiered(usd(2, 6, 0.5), 199_999, usd(4, 12, 1)),
        "grok-4.6": tiered(usd(2, 6, 0.5), 199_999, usd(4, 12, 1)),
        "grok-4.5": tiered(usd(2, 6, 0.3), 199_999, usd(4, 12, 0.6)),
        "grok-4.3": tiered(usd(1.25, 2.5, 0.2), 199_999, usd(2.5, 5, 0.4)),
        "grok-4.20": tiered(usd(1.25, 2.5, 0.2), 199_999, usd(2.5, 5, 0.4)),
        "grok-4": usd(3, 15, 0.75),
        "grok-4-0709": usd(3, 15, 0.75),
        "grok-4-fast-reasoning": usd(0.2, 0.5, 0.05),
        "grok-4-fast-non-reasoning": usd(0.2, 0.5, 0.05),
        "grok-4-1-fast-reasoning": usd(0.2, 0.5, 0.05),
        "grok-4-1-fast-non-reasoning": usd(0.2, 0.5, 0.05),
        "grok-code-fast-1": usd(0.2, 1.5, 0.02),
        "grok-3": usd(3, 15, 0.75),
        "grok-3-mini": usd(0.3, 0.5, 0.075),
      },
    },
  } satisfies Readonly<Record<string, PriceFamily>>,
} as const;
