import { createHmac } from "node:crypto";

/** A value that was masked, without the value itself. */
export interface MaskedValue {
  /** The first half of the HMAC-SHA-256 of the value under the session's key, in hex: it is found by this. */
  readonly digest: string;
  /** The digits of its placeholder: a value and its base64 have the same. */
  readonly digits: string;
  /** Counted in UTF-16 code units: a text is searched for values of the lengths that occur. */
  readonly length: number;
  /** The label of its placeholder. */
  readonly kind: string;
}

/** Shorter values are not searched for elsewhere: they would be found in words that are no secret. */
const MIN_REMEMBERED = 8;
const DIGITS = 6;
/** Counted in hex digits. */
const DIGEST = 32;
/** A text with more of them has its further values masked, but not searched for elsewhere. */
const MAX_REMEMBERED = 10_000;

const STEPS_PER_REPORT = 4_096;

/** A whole placeholder, with or without digits. */
const PLACEHOLDER = /^\[MASKED_[A-Z0-9_]{1,40}(?::[0-9a-f]{6})?\]$/u;

/** The scheme of an Authorization header: no part of the secret. */
const SCHEME = /^(?:Bearer|Basic|Token|Digest|ApiKey|Negotiate)\s+/iu;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/u;
const decoder = new TextDecoder("utf-8", { fatal: true });

/** The state that the masking of one text shares: the session's key, the counts and the values masked so far. */
export class MaskContext {
  readonly #key: string | undefined;
  readonly #progress: () => void;
  readonly #counts = new Map<string, number>();
  readonly #values = new Map<string, MaskedValue>();
  /** Keyed by value: texts repeat them. */
  readonly #placeholders = new Map<string, string>();
  #steps = 0;

  /** Placeholders have no digits without a key and no value is remembered. `progress` is called all the time. */
  constructor(key: string | undefined, progress: () => void = () => {}) {
    this.#key = key;
    this.#progress = progress;
  }

  /** The placeholder for a value; a placeholder, an empty value and the scheme of a header stay. */
  mask(value: string, kind: string): string {
    this.step();
    const scheme = SCHEME.exec(value)?.[0] ?? "";
    if (scheme !== "") return scheme + this.mask(value.slice(scheme.length), kind);
    if (value === "" || PLACEHOLDER.test(value)) return value;
    this.count(kind);
    if (this.#key === undefined) {
      this.#note(value, "");
      return `[MASKED_${kind}]`;
    }
    const digits = this.#placeholders.get(value) ?? this.#digitsOf(value, kind);
    this.#note(value, digits);
    return `[MASKED_${kind}:${digits}]`;
  }

  /** The values masked so far, a limited number of them. They must not leave the masking of the text. */
  plainValues(): ReadonlySet<string> {
    return new Set(this.#placeholders.keys());
  }

  #note(value: string, digits: string): void {
    if (this.#placeholders.size < MAX_REMEMBERED) this.#placeholders.set(value, digits);
  }

  #digitsOf(value: string, kind: string): string {
    const encoded = encodedText(value);
    // This is the form in a Secret and in the environment of its pod.
    const canonical = encoded ?? value;
    const digits = this.digestOf(canonical).slice(0, DIGITS);
    this.#remember(canonical, kind, digits);
    const once = encoded === undefined ? Buffer.from(value).toString("base64") : value;
    this.#remember(once, kind, digits);
    // This is the form in a Secret whose author has encoded the value before.
    this.#remember(Buffer.from(once).toString("base64"), kind, digits);
    // A file ends with a line feed, its content elsewhere does not.
    if (canonical.trim() !== canonical) this.#remember(canonical.trim(), kind, digits);
    return digits;
  }

  /** The placeholder of a value that was masked before. */
  again({ digits, kind }: Pick<MaskedValue, "digits" | "kind">): string {
    this.count(kind);
    return `[MASKED_${kind}:${digits}]`;
  }

  /** Counts a match that was replaced by a text of its own. */
  count(kind: string): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  /** Reports now and then that the work goes on. */
  step(): void {
    this.#steps += 1;
    if (this.#steps % STEPS_PER_REPORT === 0) this.#progress();
  }

  /** Reports that the work goes on. */
  progress(): void {
    this.#progress();
  }

  /** The digest of a value; empty without a key. */
  digestOf(value: string): string {
    return this.#key === undefined ? "" : hmac(this.#key, value);
  }

  /** The number of masked values by kind. */
  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  /** The masked values of at least eight characters. */
  values(): readonly MaskedValue[] {
    return [...this.#values.values()];
  }

  #remember(value: string, kind: string, digits: string): void {
    if (value.length < MIN_REMEMBERED || this.#values.size >= MAX_REMEMBERED) return;
    const digest = this.digestOf(value);
    this.#values.set(digest, { digest, digits, length: value.length, kind });
  }
}

function hmac(key: string, value: string): string {
  return createHmac("sha256", key).update(value).digest("hex").slice(0, DIGEST);
}

/** The text that a value in base64 stands for; undefined if it is not base64 or not of text. */
export function encodedText(value: string): string | undefined {
  if (value.length < 8 || value.length % 4 !== 0 || !BASE64.test(value)) return undefined;
  try {
    const text = decoder.decode(Buffer.from(value, "base64"));
    // oxlint-disable-next-line no-control-regex -- control characters tell that it was not text
    return /[\x00-\x08\x0e-\x1f\x7f\u0080-\u009f]/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
