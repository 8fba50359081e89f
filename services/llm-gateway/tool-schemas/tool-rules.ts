import type { ProviderType } from "#shared/contracts/resolved-chain.ts";
import type { PropertyNameRule } from "./argument-names.ts";

/** The tools that one API accepts of tools, and how far beyond its documents we trust it. Sources: docs/providers.md. */
export interface ToolRules {
  /** The API's name for people. */
  readonly api: string;
  readonly maxTools: number;
  /** The lengths of one schema as JSON and of all together, in UTF-16 code units. */
  readonly maxSchemaLength: number;
  readonly maxTotalLength: number;
  /** The length of a tool's description, in UTF-16 code units. */
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
  /** The lists that `type` may be: any types, or one and "null". */
  readonly typeLists: "any" | "nullable";
  /** The types that the values of an enum may have: any, or numbers or strings with at least one character. */
  readonly enums: "any" | "one type";
  /** True if `pattern` must compile in Python, as the validators of some APIs do. */
  readonly pythonPatterns: boolean;
  /** True if an object without known properties has `properties: {}`. */
  readonly emptyProperties: boolean;
}

/** The keywords of draft 2020-12 that limit or describe a single value. */
const VALUE_KEYWORDS: ReadonlySet<string> = new Set([
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
const SIZES = {
  maxSchemaLength: 48 * 1024,
  maxTotalLength: 512 * 1024,
  maxDescription: 8_000,
} as const;

/** Anthropic's Messages API, also on Vertex AI: draft 2020-12 without alternatives at the root. */
export const ANTHROPIC_RULES: ToolRules = {
  api: "Anthropic",
  maxTools: 1_000,
  ...SIZES,
  allowsBlankDescription: true,
  maxDepth: 16,
  propertyNames: { pattern: /^[a-zA-Z0-9_.-]+$/u, maxLength: 64 },
  keywords: new Set([...VALUE_KEYWORDS, "dependentRequired"]),
  tuples: "prefixItems",
  typeLists: "any",
  enums: "any",
  pythonPatterns: true,
  emptyProperties: true,
};

/**
 * Gemini's `parametersJsonSchema`, also on Vertex AI. Limits of lengths, numbers and formats go into the description:
 * Gemini may refuse schemas with many of them for having too many states.
 */
export const GEMINI_RULES: ToolRules = {
  api: "Gemini",
  maxTools: 512,
  ...SIZES,
  allowsBlankDescription: true,
  maxDepth: 10,
  propertyNames: { pattern: /^[a-zA-Z_][a-zA-Z0-9_.-]*$/u, maxLength: 64 },
  keywords: new Set(),
  tuples: "prefixItems",
  typeLists: "nullable",
  enums: "one type",
  pythonPatterns: true,
  emptyProperties: true,
};

/** OpenAI's chat completions and Responses API without strict mode. */
export const OPENAI_RULES: ToolRules = {
  api: "OpenAI's API",
  maxTools: 128,
  ...SIZES,
  allowsBlankDescription: true,
  maxDepth: 16,
  propertyNames: { pattern: /^[^\p{Cc}\p{Cs}]+$/u, maxLength: 256 },
  keywords: VALUE_KEYWORDS,
  tuples: "items",
  typeLists: "any",
  enums: "any",
  pythonPatterns: true,
  emptyProperties: true,
};

/** OpenAI's models on Azure. */
export const AZURE_RULES: ToolRules = { ...OPENAI_RULES, api: "Azure OpenAI", maxDescription: 1_024 };

/** Servers with OpenAI's API, which may pass a call on to any other API: also what Anthropic asks of names. */
export const COMPATIBLE_RULES: ToolRules = {
  ...OPENAI_RULES,
  api: "the OpenAI-compatible server",
  propertyNames: { pattern: /^[a-zA-Z0-9_.-]+$/u, maxLength: 64 },
};

/** xAI documents no rules of its own for schemas, and its API is OpenAI's. */
export const XAI_RULES: ToolRules = { ...OPENAI_RULES, api: "xAI" };

/**
 * The rules for APIs whose rules are not known well, such as Amazon Bedrock's Converse and Mistral's: the strictest rule of all
 * others, so that a new provider loses no call to a schema.
 */
export const CONSERVATIVE_RULES: ToolRules = {
  api: "the provider",
  maxTools: 128,
  ...SIZES,
  maxDescription: 1_024,
  allowsBlankDescription: false,
  maxDepth: 8,
  propertyNames: { pattern: /^[a-zA-Z_][a-zA-Z0-9_]*$/u, maxLength: 64 },
  keywords: new Set(),
  tuples: "items",
  typeLists: "nullable",
  enums: "one type",
  pythonPatterns: true,
  emptyProperties: true,
};

/** The parts of a call that decide which API it reaches. */
export interface CalledApi {
  /** The provider's type. */
  readonly provider: string;
  readonly backend: string;
  readonly model: string;
  readonly baseUrl: string;
}

/** The rules of each type's API; a function where the call decides, null for a script, which is no API. */
const RULES: Readonly<Record<ProviderType, ToolRules | ((api: CalledApi) => ToolRules) | null>> = {
  google: GEMINI_RULES,
  vertexai: ({ model }) => (model.toLowerCase().startsWith("claude") ? ANTHROPIC_RULES : GEMINI_RULES),
  anthropic: ANTHROPIC_RULES,
  openai: ({ baseUrl }) =>
    baseUrl === "" ? OPENAI_RULES : isAzure(baseUrl) ? AZURE_RULES : COMPATIBLE_RULES,
  azure: AZURE_RULES,
  groq: COMPATIBLE_RULES,
  openrouter: COMPATIBLE_RULES,
  deepseek: COMPATIBLE_RULES,
  xai: XAI_RULES,
  mistral: CONSERVATIVE_RULES,
  bedrock: CONSERVATIVE_RULES,
  scripted: null,
};
const RULES_OF = new Map(Object.entries(RULES));

/** The rules of the API that a call reaches; undefined for a script. An unknown type gets the strictest. */
export function rulesForCall(api: CalledApi): ToolRules | undefined {
  if (api.backend === "scripted") return undefined;
  const rules = RULES_OF.get(api.provider);
  if (rules === null) return undefined;
  return typeof rules === "function" ? rules(api) : (rules ?? CONSERVATIVE_RULES);
}

function isAzure(baseUrl: string): boolean {
  return URL.parse(baseUrl)?.hostname.endsWith(".azure.com") === true;
}
