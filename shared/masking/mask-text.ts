import { MaskContext, type MaskedValue } from "#shared/masking/mask-context.ts";
import type { MaskingPattern } from "#shared/masking/patterns/built-in-patterns.ts";
import { maskCustom, type CompiledPattern } from "#shared/masking/patterns/custom-patterns.ts";
import { maskRandom } from "#shared/masking/patterns/entropy.ts";
import { maskForms } from "#shared/masking/patterns/mask-forms.ts";
import { maskKeyValues } from "#shared/masking/patterns/key-values.ts";
import { maskKnown } from "#shared/masking/patterns/known-values.ts";
import { maskSeen } from "#shared/masking/patterns/seen-values.ts";
import { removeAt, splitSeams } from "#shared/masking/seams.ts";
import { maskGoMaps } from "#shared/masking/structure/mask-go-maps.ts";
import { maskJson } from "#shared/masking/structure/mask-json.ts";
import { maskPrefixed } from "#shared/masking/structure/mask-prefixed.ts";
import { maskTables } from "#shared/masking/structure/mask-tables.ts";
import { maskVisible } from "#shared/masking/visible-text.ts";
import { maskYaml } from "#shared/masking/structure/mask-yaml.ts";

/** The rules for masking a text. */
export interface TextRules {
  /** Adds to those that are always masked. */
  readonly patterns: ReadonlySet<MaskingPattern>;
  readonly custom: readonly CompiledPattern[];
  /** The forms of secrets that this process knows (`formsOfSecrets`). */
  readonly known: readonly string[];
}

export interface MaskedText {
  readonly text: string;
  /** The number of masked values by kind. */
  readonly counts: Readonly<Record<string, number>>;
  /** Those masked for the first time, to be found again in later texts of the session. */
  readonly values: readonly MaskedValue[];
}

export interface MaskOptions {
  readonly rules: TextRules;
  /** The session's; without it placeholders have no digits and nothing is remembered. */
  readonly key?: string | undefined;
  /** Values that the session had masked before. */
  readonly seen?: readonly MaskedValue[] | undefined;
  /** The offsets at which newlines join parts that may have split a value. */
  readonly seams?: readonly number[] | undefined;
  /** Called at least every few hundred milliseconds while the work goes on. */
  readonly progress?: () => void;
}

/** JSON in a string of JSON in a string of JSON. */
const MAX_DEPTH = 3;
/** Found in every text with a secret; strings in JSON are mostly without. */
const HINT =
  /secret|pass|pwd|token|key|cred|auth|cookie|data|sig|-----BEGIN|:\/\/|@|AKIA|ASIA|eyJ|psk|kty|[A-Za-z0-9+/_-]{20}/i;

/**
 * Masks the secrets in a text: the values of Kubernetes Secrets in any form, then values whose key looks secret, what is secret
 * by its form, the patterns of the configuration, what looks random, and values that the session had masked before. A pure
 * function; the time is proportional to the text.
 */
export function maskText(text: string, options: MaskOptions): MaskedText {
  const { seams = [] } = options;
  if (seams.length === 0) return maskWhole(text, options, new MaskContext(options.key, options.progress));
  const glued = removeAt(text, seams);
  const whole = new MaskContext(undefined, options.progress);
  maskStructures(glued, options.rules, whole);
  const split = splitSeams(glued, seams, whole.plainValues());
  const joined = removeAt(text, split);
  const context = new MaskContext(options.key, options.progress);
  const result = maskWhole(joined, options, context);
  const found = context.plainValues();
  // Split where a key or a bracket is: without the newlines it is found, so all of them go.
  const isMissed = [...whole.plainValues()].some((value) => !found.has(value) && result.text.includes(value));
  if (!isMissed) return result;
  const seen = [...(options.seen ?? []), ...result.values];
  return maskWhole(
    glued,
    { ...options, seen },
    new MaskContext(options.key, options.progress),
    result.values,
  );
}

function maskStructures(text: string, rules: TextRules, context: MaskContext): string {
  const known = maskKnown(text, rules.known, context);
  context.progress();
  return maskLevel(known, rules, context, 0);
}

function maskWhole(
  text: string,
  { rules, seen = [] }: MaskOptions,
  context: MaskContext,
  already: readonly MaskedValue[] = [],
): MaskedText {
  const masked = maskStructures(text, rules, context);
  context.progress();
  const custom = maskCustom(masked, rules.custom, context);
  const found = new Map(seen.map((value) => [value.digest, value]));
  for (const value of context.values()) if (!found.has(value.digest)) found.set(value.digest, value);
  context.progress();
  const before = new Set(seen.map(({ digest }) => digest));
  const whole = maskSeen(custom, found, context);
  return {
    text: whole,
    counts: context.counts(),
    values: [...already, ...context.values().filter(({ digest }) => !before.has(digest))],
  };
}

function maskLevel(text: string, rules: TextRules, context: MaskContext, depth: number): string {
  const inner = (part: string) =>
    depth < MAX_DEPTH && HINT.test(part) ? maskLevel(part, rules, context, depth + 1) : part;
  const steps: ((left: string) => string)[] = [
    (left) => maskJson(left, context, inner),
    (left) => maskEscaped(left, inner),
    (left) => maskYaml(left, context),
    (left) => maskGoMaps(left, context),
    (left) => maskPrefixed(left, (block) => maskYaml(maskJson(block, context, inner), context)),
    (left) => maskTables(left, context),
    (left) => maskForms(left, rules.patterns, context),
    (left) => maskKeyValues(left, context),
    (left) => maskRandom(left, context, inner),
  ];
  return maskVisible(text, (visible) =>
    steps.reduce((left, step) => {
      if (depth === 0) context.progress();
      return step(left);
    }, visible),
  );
}

/** The text from a bracket before an escaped quote up to a quote that is not escaped. */
const ESCAPED = /[{[](?:\s|\\[nrt]){0,100}\\"(?:[^"\\\n]|\\[^\n]){0,100000}/g;

/** JSON with escaped quotes outside of a string, as logs have it. */
function maskEscaped(text: string, inner: (part: string) => string): string {
  if (!text.includes('\\"')) return text;
  return text.replaceAll(ESCAPED, (part) => {
    const plain = part.replaceAll(/\\(.)/g, (_whole, char: string) =>
      char === "n" ? "\n" : char === "t" ? "\t" : char,
    );
    const masked = inner(plain);
    return masked === plain ? part : JSON.stringify(masked).slice(1, -1);
  });
}
