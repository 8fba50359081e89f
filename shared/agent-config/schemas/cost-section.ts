import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { Instant, Name, UsdRate } from "#shared/agent-config/schemas/schema-parts.ts";

const RATES = {
  input_per_million: UsdRate,
  output_per_million: UsdRate,
  cached_input_per_million: Type.Optional(UsdRate),
  cache_write_per_million: Type.Optional(UsdRate),
  reasoning_per_million: Type.Optional(UsdRate),
};

/** The prices of LLM calls. */
export const CostSection = Type.Object({
  enabled: Type.Optional(Type.Boolean()),
  model_rates: Type.Optional(Type.Record(Type.String(), Type.Object(RATES))),
  promotions: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.Optional(Name),
        model: Name,
        start: Type.Optional(Instant),
        end: Type.Optional(Instant),
        ...RATES,
      }),
    ),
  ),
});
export type CostSection = Static<typeof CostSection>;
