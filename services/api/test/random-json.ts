import { randomUUID } from "node:crypto";

export type Json = Readonly<Record<string, unknown>>;

const HOSTILE_TEXTS = [
  "\0",
  "\uD800",
  "\u202Eexe.gnp",
  "'; DROP TABLE alert_sessions; --",
  "../../etc/passwd",
  "__proto__",
  "-1",
  "1e9",
  "0x10",
  " 1",
  "\uFF11",
  "NaN",
  "9".repeat(40),
  "💾".repeat(300),
  "x".repeat(3_000),
  "%00",
  "null",
  "[object Object]",
];
const HOSTILE_VALUES = [
  null,
  true,
  -1,
  1e308,
  0.5,
  2 ** 53,
  [],
  {},
  [[[[[]]]]],
  "x".repeat(100_000),
  { constructor: { prototype: {} } },
  ...HOSTILE_TEXTS,
];

/** Random JSON values, by the schemas of an OpenAPI document or against them; the same for the same source of numbers. */
export class RandomJson {
  readonly #random: () => number;
  readonly #schemas: Json;

  constructor(random: () => number, schemas: Json) {
    this.#random = random;
    this.#schemas = schemas;
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  pick<T>(values: readonly T[]): T {
    const value = values[Math.floor(this.#random() * values.length)];
    if (value === undefined) throw new Error("there is nothing to choose from");
    return value;
  }

  hostileText(): string {
    return this.pick(HOSTILE_TEXTS);
  }

  /** A value that the schema allows. */
  valid(schema: unknown): unknown {
    const given = this.resolve(schema);
    const { type, const: only, enum: values, anyOf, properties, required, items, minItems, maxItems } = given;
    if (only !== undefined) return only;
    if (Array.isArray(values)) return this.pick<unknown>(values);
    if (Array.isArray(anyOf)) return this.valid(this.pick<unknown>(anyOf));
    if (type === "string") return this.#text(given);
    if (type === "integer" || type === "number") return this.#number(given);
    if (type === "boolean") return this.chance(0.5);
    if (type === "null") return null;
    if (type === "array") {
      const least = typeof minItems === "number" ? minItems : 0;
      const most = Math.min(typeof maxItems === "number" ? maxItems : 3, least + 3);
      const length = least + Math.floor(this.#random() * (most - least + 1));
      return Array.from({ length }, () => this.valid(items));
    }
    if (type !== "object") return this.pick(["x", 1, true, null, ["x"]]);
    const names = Array.isArray(required) ? required.map(String) : [];
    return Object.fromEntries(
      Object.entries(asJson(properties))
        .filter(([name]) => names.includes(name) || this.chance(0.5))
        .map(([name, property]) => [name, this.valid(property)]),
    );
  }

  /** The value with one of its parts replaced by a hostile one, removed, or with a member added. */
  mutated(value: unknown): unknown {
    if (Array.isArray(value) && value.length > 0 && this.chance(0.7)) {
      const at = Math.floor(this.#random() * value.length);
      return value.map((item: unknown, index) => (index === at ? this.mutated(item) : item));
    }
    const entries = Object.entries(asJson(value));
    if (entries.length > 0 && this.chance(0.8)) {
      const [name] = this.pick(entries);
      if (this.chance(0.2)) return Object.fromEntries(entries.filter(([other]) => other !== name));
      if (this.chance(0.2)) return { ...asJson(value), [this.hostileText()]: this.pick(HOSTILE_VALUES) };
      return Object.fromEntries(
        entries.map(([key, inner]) => [key, key === name ? this.mutated(inner) : inner]),
      );
    }
    return this.pick<unknown>(HOSTILE_VALUES);
  }

  /** The schema itself, or that of its reference. */
  resolve(schema: unknown): Json {
    const given = asJson(schema);
    const { $ref } = given;
    return typeof $ref === "string" ? asJson(this.#schemas[$ref.split("/").at(-1) ?? ""]) : given;
  }

  #text({ pattern, format, minLength, maxLength }: Json): string {
    if (typeof pattern === "string" && pattern.includes("{12}")) return randomUUID();
    if (format === "date-time") return new Date(1.7e12 + Math.floor(this.#random() * 1e10)).toISOString();
    const least = typeof minLength === "number" ? minLength : 0;
    const most = Math.min(typeof maxLength === "number" ? maxLength : 40, least + 40);
    const length = least + Math.floor(this.#random() * (most - least + 1));
    return Array.from({ length }, () => this.pick(["a", "B", "7", "-", "ö", "💾"])).join("");
  }

  #number({ minimum, maximum, type }: Json): number {
    const least = typeof minimum === "number" ? minimum : -1_000;
    const most = typeof maximum === "number" ? maximum : least + 1_000;
    const value = this.chance(0.3) ? this.pick([least, most]) : least + this.#random() * (most - least);
    return type === "integer" ? Math.round(value) : value;
  }
}

/** The members of an object; none of anything else. */
export function asJson(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
