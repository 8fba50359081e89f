import type { WrittenRates } from "#shared/pricing/rates.ts";

/** The prices of a model, and its end; a tier replaces the prices for calls with more input than `above` tokens. */
export interface ModelPrice extends WrittenRates {
  readonly tiers?: readonly (WrittenRates & { readonly above: number })[];
  /** The day from which the provider's own API does not answer with this model any more, such as 2026-12-01. */
  readonly retires_at?: string;
  /** The model that the provider recommends instead. */
  readonly successor?: string;
}

/** The models of one provider. */
export interface PriceFamily {
  /** The price list that the numbers were taken from. */
  readonly source: string;
  /** The page that the days of retirement and the successors were taken from. */
  readonly retirements?: string;
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

function ends(price: ModelPrice, retires_at: string, successor?: string): ModelPrice {
  return { ...price, retires_at, ...(successor === undefined ? {} : { successor }) };
}

/**
 * List prices in USD per million tokens of the providers' standard service, as published on this day: no batch, priority or
 * regional prices, none for searches or images, no discounts by the hour (DeepSeek's prices are those outside its peak hours).
 * Names that a provider moves from one model to the next (`…-latest`) have no price.
 * A dated version of a model that is not listed costs what the model does.
 *
 * Retirements as the providers had announced them on this day. They hold for the provider's own API: Vertex AI, Bedrock, Azure and
 * resellers have schedules of their own, which are not listed. A model without a day has none yet.
 */
export const PRICE_SNAPSHOT = {
  date: "2026-11-26",
  families: {
    openai: {
      source: "https://platform.openai.com/docs/pricing",
      retirements: "https://developers.openai.com/api/docs/deprecations",
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
        "gpt-5.4-nano": ends(usd(0.2, 1.25, 0.02), "2027-04-01"),
        "gpt-5.4-pro": tiered(usd(30, 180), 272_000, usd(60, 270)),
        "gpt-5.3-codex": ends(usd(1.75, 14, 0.175), "2027-04-01"),
        "gpt-5.2": usd(1.75, 14, 0.175),
        "gpt-5.2-pro": usd(21, 168),
        "gpt-5.1": ends(usd(1.25, 10, 0.125), "2027-04-01"),
        "gpt-5": ends(usd(1.25, 10, 0.125), "2026-12-11", "gpt-6.1-sol"),
        "gpt-5-mini": ends(usd(0.25, 2, 0.025), "2026-12-11", "gpt-6.1-terra"),
        "gpt-5-nano": ends(usd(0.05, 0.4, 0.005), "2026-12-11", "gpt-6-luna"),
        "gpt-5-pro": ends(usd(15, 120), "2026-12-11", "gpt-6.1-sol"),
        "gpt-4.1": ends(usd(2, 8, 0.5), "2027-01-14", "gpt-6-luna"),
        "gpt-4.1-mini": ends(usd(0.4, 1.6, 0.1), "2027-01-14", "gpt-6-luna"),
        "gpt-4.1-nano": ends(usd(0.1, 0.4, 0.025), "2026-10-23", "gpt-5.6-luna"),
        "gpt-4o": ends(usd(2.5, 10, 1.25), "2027-01-14", "gpt-6-luna"),
        "gpt-4o-2024-05-13": ends(usd(5, 15), "2026-10-23", "gpt-5.6-sol"),
        "gpt-4o-mini": ends(usd(0.15, 0.6, 0.075), "2027-01-14", "gpt-6-luna"),
        "gpt-4-turbo": ends(usd(10, 30), "2026-10-23", "gpt-5.6-sol"),
        "gpt-3.5-turbo": ends(usd(0.5, 1.5), "2026-10-23", "gpt-5.6-terra"),
        "gpt-3.5-turbo-1106": ends(usd(1, 2), "2026-09-28", "gpt-5.6-terra"),
        o1: ends(usd(15, 60, 7.5), "2026-10-23", "gpt-5.6-sol"),
        "o1-pro": ends(usd(150, 600), "2026-10-23", "gpt-5.6-sol"),
        o3: ends(usd(2, 8, 0.5), "2026-12-11", "gpt-6.1-sol"),
        "o3-pro": ends(usd(20, 80), "2026-12-11", "gpt-6.1-sol"),
        "o3-mini": ends(usd(1.1, 4.4, 0.55), "2026-10-23", "gpt-5.6-sol"),
        "o4-mini": ends(usd(1.1, 4.4, 0.275), "2026-10-23", "gpt-5.6-terra"),
      },
    },
    anthropic: {
      source: "https://platform.claude.com/docs/en/about-claude/pricing",
      retirements: "https://platform.claude.com/docs/en/about-claude/model-deprecations",
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
        "claude-opus-4-1": ends(usd(15, 75, 1.5, 18.75), "2026-08-05", "claude-opus-5-5"),
        "claude-opus-4": ends(usd(15, 75, 1.5, 18.75), "2026-06-15", "claude-opus-5-5"),
        "claude-opus-4-0": ends(usd(15, 75, 1.5, 18.75), "2026-06-15", "claude-opus-5-5"),
        "claude-sonnet-5-5": usd(2, 10, 0.1, 2.5),
        "claude-sonnet-5": usd(2, 10, 0.2, 2.5),
        "claude-sonnet-4-6": usd(3, 15, 0.3, 3.75),
        "claude-sonnet-4-5": ends(
          tiered(usd(3, 15, 0.3, 3.75), 200_000, usd(6, 22.5, 0.6, 7.5)),
          "2026-11-30",
          "claude-sonnet-5-5",
        ),
        "claude-sonnet-4": ends(
          tiered(usd(3, 15, 0.3, 3.75), 200_000, usd(6, 22.5, 0.6, 7.5)),
          "2026-06-15",
          "claude-sonnet-5",
        ),
        "claude-sonnet-4-0": ends(
          tiered(usd(3, 15, 0.3, 3.75), 200_000, usd(6, 22.5, 0.6, 7.5)),
          "2026-06-15",
          "claude-sonnet-5",
        ),
        "claude-3-7-sonnet": ends(usd(3, 15, 0.3, 3.75), "2026-02-19", "claude-sonnet-5"),
        "claude-haiku-5-5": tiered(usd(0.1, 0.5, 0.01, 0.125), 100_000, usd(0.5, 2.5, 0.05, 0.625)),
        "claude-haiku-4-5": usd(1, 5, 0.1, 1.25),
        "claude-3-5-haiku": ends(usd(0.8, 4, 0.08, 1), "2026-02-19", "claude-haiku-4-5"),
        "claude-3-haiku": ends(usd(0.25, 1.25, 0.03, 0.3), "2026-04-20", "claude-haiku-4-5"),
      },
    },
    google: {
      source: "https://ai.google.dev/gemini-api/docs/pricing",
      retirements: "https://ai.google.dev/gemini-api/docs/deprecations",
      models: {
        // These three until 2026-12-31; from 2027 on 1.5, 7.5 and 0.15.
        "gemini-3.8-flash": usd(0.75, 3.75, 0.075),
        "gemini-3.7-flash": usd(0.75, 3.75, 0.075),
        "gemini-3.6-flash": usd(0.75, 3.75, 0.075),
        "gemini-3.5-flash": usd(1.5, 9, 0.15),
        "gemini-3.5-flash-lite": usd(0.3, 2.5, 0.03),
        // The price of text; an image is 60 USD per million tokens of output.
        "gemini-3.1-flash-image": usd(0.5, 3),
        "gemini-3.1-flash-lite": ends(usd(0.25, 1.5, 0.025), "2027-05-07"),
        "gemini-3.1-pro-preview": tiered(usd(2, 12, 0.2), 200_000, usd(4, 18, 0.4)),
        "gemini-3-pro-preview": ends(
          tiered(usd(2, 12, 0.2), 200_000, usd(4, 18, 0.4)),
          "2026-03-09",
          "gemini-3.1-pro-preview",
        ),
        "gemini-3-flash-preview": usd(0.5, 3, 0.05),
        "gemini-2.5-pro": ends(
          tiered(usd(1.25, 10, 0.125), 200_000, usd(2.5, 15, 0.25)),
          "2026-12-01",
          "gemini-3.8-flash",
        ),
        "gemini-2.5-flash": ends(usd(0.3, 2.5, 0.03), "2026-12-01", "gemini-3.5-flash-lite"),
        "gemini-2.5-flash-lite": usd(0.1, 0.4, 0.01),
        "gemini-2.0-flash": ends(usd(0.1, 0.4, 0.025), "2026-06-01", "gemini-3.5-flash-lite"),
        "gemini-2.0-flash-lite": ends(usd(0.075, 0.3), "2026-06-01", "gemini-3.5-flash-lite"),
      },
    },
    mistral: {
      source: "https://mistral.ai/pricing",
      retirements: "https://docs.mistral.ai/getting-started/models",
      models: {
        "mistral-large-4": usd(0.7, 2.1, 0.07),
        "mistral-large-2512": usd(0.5, 1.5, 0.05),
        "mistral-large-2411": ends(usd(2, 6), "2026-05-31", "mistral-large-2512"),
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
      retirements: "https://console.groq.com/docs/deprecations",
      models: {
        "openai/gpt-oss-120b": usd(0.15, 0.6, 0.075),
        "openai/gpt-oss-20b": usd(0.075, 0.3, 0.0375),
        "llama-3.3-70b-versatile": ends(usd(0.59, 0.79), "2026-08-16", "openai/gpt-oss-120b"),
        "llama-3.1-8b-instant": usd(0.05, 0.08),
        "meta-llama/llama-4-maverick-17b-128e-instruct": usd(0.2, 0.6),
        "meta-llama/llama-4-scout-17b-16e-instruct": usd(0.11, 0.34),
        "moonshotai/kimi-k2-instruct-0905": usd(1, 3, 0.5),
        "qwen/qwen3-32b": usd(0.29, 0.59),
      },
    },
    xai: {
      source: "https://docs.x.ai/docs/models",
      retirements: "https://docs.x.ai/docs/migration/may-15-retirement",
      models: {
        "grok-4.7": tiered(usd(2, 6, 0.5), 199_999, usd(4, 12, 1)),
        "grok-4.6": tiered(usd(2, 6, 0.5), 199_999, usd(4, 12, 1)),
        "grok-4.5": tiered(usd(2, 6, 0.5), 199_999, usd(4, 12, 1)),
        "grok-4.3": tiered(usd(1.25, 2.5, 0.2), 199_999, usd(2.5, 5, 0.4)),
        "grok-4.20": tiered(usd(1.25, 2.5, 0.2), 199_999, usd(2.5, 5, 0.4)),
        "grok-4": ends(usd(3, 15, 0.75), "2026-05-15", "grok-4.3"),
        "grok-4-0709": ends(usd(3, 15, 0.75), "2026-05-15", "grok-4.3"),
        "grok-4-fast-reasoning": ends(usd(0.2, 0.5, 0.05), "2026-05-15", "grok-4.3"),
        "grok-4-fast-non-reasoning": ends(usd(0.2, 0.5, 0.05), "2026-05-15", "grok-4.3"),
        "grok-4-1-fast-reasoning": ends(usd(0.2, 0.5, 0.05), "2026-05-15", "grok-4.3"),
        "grok-4-1-fast-non-reasoning": ends(usd(0.2, 0.5, 0.05), "2026-05-15", "grok-4.3"),
        "grok-code-fast-1": ends(usd(0.2, 1.5, 0.02), "2026-05-15", "grok-4.3"),
        "grok-3": ends(usd(3, 15, 0.75), "2026-05-15", "grok-4.3"),
        "grok-3-mini": usd(0.3, 0.5, 0.075),
      },
    },
  } satisfies Readonly<Record<string, PriceFamily>>,
} as const;
