import type { PropertyNameRule } from "./property-names.ts";

/** What one API accepts of tools, and how far beyond its documents we trust it. Sources: docs/providers.md. */
export interface ToolRules {
  /** For people: the API's name. */
  readonly api: string;
  readonly maxTools: number;
  /** Of one schema as JSON, and of all together, in UTF-16 code units. */
  readonly maxSchemaLength: number;
  readonly maxTotalLength: number;
  /** Of a tool, in UTF-16 code units. */
  readonly maxDescription: number;
  /** False if a tool must have a description. */
  readonly allowsBlankDescription: boolean;
  /** Levels of schemas inside each other. */
  readonly maxDepth: number;
  readonly propertyNames: PropertyNameRule;
  /** Further keywords that are sent; others become part of the description. */
  readonly keywords: ReadonlySet<string>;
  /** `prefixItems`, or one `items` for all elements of a tuple. */
  readonly tuples: "prefixItems" | "items";
  /** Whether `type` may be a list: of any types, or of one and "null". */
  readonly typeLists: "any" | "nullable";
  /** Whether the values of an enum may be of any type; else strings or numbers of one type. */
  readonly enums: "any" | "one type";
  /** Whether `pattern` must compile in Python, as the validators of some APIs do. */
  readonly pythonPatterns: boolean;
  /** Whether an object without known properties has `properties: {}`. */
  readonly emptyProperties: boolean;
}

/** The keywords of draft 2020-12 that limit or describe a single value. */
export const VALUE_KEYWORDS: ReadonlySet<string> = new Set([
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "format",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
  "default",
]);

/** Bounds that hold for every API, because no model gets on with more. */
export const SIZES = {
  maxSchemaLength: 48 * 1024,
  maxTotalLength: 512 * 1024,
  maxDescription: 8_000,
} as const;
