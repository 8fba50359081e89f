import { object } from "./awkward-schemas.ts";

/** Schemas that are too large, too deep or too long to be sent, or to be read without a bound. */
export const OVERSIZED_SCHEMAS: Readonly<Record<string, unknown>> = {
  deep: nest(60),
  "very deep": nest(600),
  wide: object(
    Object.fromEntries(
      Array.from({ length: 3_000 }, (_, index) => [
        `argument ${index}`,
        { type: "string", description: "Long. ".repeat(20) },
      ]),
    ),
  ),
  "many values": object({
    a: { type: "string", enum: Array.from({ length: 20_000 }, (_, index) => `value-${index}`) },
  }),
  exponential: {
    ...object({ a: { $ref: "#/$defs/L0" } }),
    $defs: Object.fromEntries(
      Array.from({ length: 30 }, (_, level) => [
        `L${level}`,
        object({ l: { $ref: `#/$defs/L${level + 1}` }, r: { $ref: `#/$defs/L${level + 1}` } }),
      ]),
    ),
  },
  "exponential alternatives": {
    type: "object",
    allOf: Array.from({ length: 40 }, (_, index) => ({
      anyOf: [{ required: [`a${index}`] }, { required: [`b${index}`] }],
    })),
  },
  "a long chain of $ref": {
    ...object({ a: { $ref: "#/$defs/L0" } }),
    $defs: Object.fromEntries(
      Array.from({ length: 5_000 }, (_, level) => [`L${level}`, { $ref: `#/$defs/L${level + 1}` }]),
    ),
  },
  "long texts": object({ a: { type: "string", title: "T".repeat(5_000), description: "😀".repeat(20_000) } }),
};

function nest(levels: number): object {
  let schema: object = { type: "string" };
  for (let level = 0; level < levels; level += 1) schema = object({ inner: schema, list: { type: "array" } });
  return schema;
}
