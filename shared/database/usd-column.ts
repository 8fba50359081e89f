import type { EntitySchemaColumnOptions } from "typeorm";

/** A column of money in USD with twelve decimals, read as the nearest number. */
export const USD_COLUMN = {
  type: "numeric",
  precision: 24,
  scale: 12,
  transformer: {
    from: (text: string | null) => (text === null ? null : Number(text)),
    to: (usd: number | null) => usd,
  },
} as const satisfies EntitySchemaColumnOptions;
