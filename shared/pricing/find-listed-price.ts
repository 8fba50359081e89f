import type { ProviderType } from "#shared/contracts/resolved-chain.ts";
import { PRICE_SNAPSHOT, type ModelPrice, type PriceFamily } from "#shared/pricing/price-snapshot.ts";

type FamilyName = keyof typeof PRICE_SNAPSHOT.families;

const FAMILY_NAMES = [
  "openai",
  "anthropic",
  "google",
  "mistral",
  "deepseek",
  "groq",
  "xai",
] as const satisfies readonly FamilyName[];

const FAMILIES: Readonly<Record<FamilyName, PriceFamily>> = PRICE_SNAPSHOT.families;

/** Whose models a type of provider serves at the prices of the list. */
const FAMILIES_OF_TYPES: Readonly<Record<ProviderType, readonly FamilyName[]>> = {
  openai: ["openai"],
  azure: ["openai"],
  anthropic: ["anthropic"],
  bedrock: ["anthropic"],
  google: ["google"],
  vertexai: ["google", "anthropic"],
  mistral: ["mistral"],
  deepseek: ["deepseek"],
  groq: ["groq"],
  openrouter: [],
  xai: ["xai"],
  scripted: [],
};
const FAMILIES_OF_TYPE = new Map<string, readonly FamilyName[]>(Object.entries(FAMILIES_OF_TYPES));

/** The prefixes that gateways and resellers without prices of their own put before a model's name. */
const PREFIXES: readonly (readonly [RegExp, FamilyName])[] = [
  [/^(?:openai|azure)\//u, "openai"],
  [/^anthropic\//u, "anthropic"],
  [/^(?:[a-z]{2,6}\.)?anthropic\./u, "anthropic"],
  [/^(?:google|gemini|models)\//u, "google"],
  [/^mistral(?:ai)?\//u, "mistral"],
  [/^groq\//u, "groq"],
  [/^x-?ai\//u, "xai"],
];

/**
 * The listed price of a model: by its name among the models of the provider's type, else by a known prefix of the name, else by
 * its name among all models. Undefined if it is unknown or two providers have a model of this name.
 */
export function findListedPrice({
  type,
  model,
}: {
  readonly type: string;
  readonly model: string;
}): ModelPrice | undefined {
  const own = among(FAMILIES_OF_TYPE.get(type) ?? [], model);
  if (own.length === 1) return own[0];
  for (const [prefix, family] of PREFIXES) {
    if (prefix.test(model)) return among([family], model.replace(prefix, ""))[0];
  }
  const others = among(FAMILY_NAMES, model);
  return others.length === 1 ? others[0] : undefined;
}

/** A model as the list of its own maker has it; undefined for a type of provider that serves the models of others. */
export function findOwnModel(type: string, model: string): ModelPrice | undefined {
  const own = FAMILY_NAMES.filter((family) => family === type);
  return among(own, model.replace(/^models\//u, ""))[0];
}

function among(families: readonly FamilyName[], model: string): ModelPrice[] {
  return families.flatMap((name) => {
    const { models } = FAMILIES[name];
    const known = spellings(model).find((spelling) => Object.hasOwn(models, spelling));
    return known === undefined ? [] : (models[known] ?? []);
  });
}

/** The name as it is, then without the date of a version (`-2025-08-07`, `-20250929`, `@20250929`) and Bedrock's revision. */
function spellings(model: string): readonly string[] {
  const undated = model
    .replace(/-v\d+(?::\d+)?$/u, "")
    .replace(/(?:-\d{4}-\d{2}-\d{2}|[-@]\d{8}|@default)$/u, "");
  // Resellers write claude-sonnet-4.5.
  const dashed = undated.startsWith("claude-") ? undated.replaceAll(".", "-") : undated;
  return [model, undated, dashed];
}
