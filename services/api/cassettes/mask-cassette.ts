import { setImmediate as yieldToOthers } from "node:timers/promises";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Cassette } from "#shared/cassette/cassette.ts";
import { hideFrameCodes } from "#shared/cassette/frame-codes.ts";
import { isUuid } from "#shared/contracts/uuid.ts";
import type { Masker } from "#shared/masking/masker.ts";
import type { SessionMasking } from "#shared/masking/read-session-masking.ts";

interface Masking extends SessionMasking {
  readonly masker: Pick<Masker, "maskForms" | "maskKnown">;
  /** The nonce of its prompts. */
  readonly nonce: string | null;
  /** Forms of the values that its prompts insert. */
  readonly values: readonly string[];
}

/** Between two pauses in which others are served, in code units. */
const AT_A_TIME = 256 * 1024;
/** Longer texts are results that were masked by all rules before they were stored; only known secrets are looked for in them. */
const MAX_FORMS = 1024 * 1024;
const HASH = /^[0-9a-f]{64}$/u;

const parseJson = compileParser("cassette", Type.Unknown());
const parseCassette = compileParser("cassette", Cassette);

/**
 * The cassette without the codes of its session's prompts and without secrets: those of this process, values of variables, values masked in
 * the session before, and what is a secret by its form. `masked` names where something was replaced.
 */
export async function maskCassette(cassette: Cassette, masking: Masking): Promise<Cassette> {
  const hidden = parseJson(JSON.parse(hideFrameCodes(JSON.stringify(cassette), masking.nonce)));
  const masked: string[] = [];
  const cleaner = new Cleaner(masking, masked);
  const clean = await cleaner.clean(hidden, "");
  return { ...parseCassette(clean), masked };
}

class Cleaner {
  readonly #masking: Masking;
  readonly #masked: string[];
  /** Conversations repeat results and answers. */
  readonly #known = new Map<string, string>();
  #sincePause = 0;

  constructor(masking: Masking, masked: string[]) {
    this.#masking = masking;
    this.#masked = masked;
  }

  async clean(value: unknown, pointer: string): Promise<unknown> {
    if (typeof value === "string") return this.#text(value, pointer);
    if (Array.isArray(value)) {
      const cleaned: unknown[] = [];
      for (const [index, element] of value.entries()) {
        cleaned.push(await this.clean(element, `${pointer}/${index}`));
      }
      return cleaned;
    }
    if (typeof value !== "object" || value === null) return value;
    const cleaned: [string, unknown][] = [];
    for (const [written, member] of Object.entries(value)) {
      // Arguments have names that a model has written.
      const name = await this.#text(written, pointer);
      cleaned.push([
        name,
        await this.clean(member, `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`),
      ]);
    }
    return Object.fromEntries(cleaned);
  }

  async #text(text: string, pointer: string): Promise<string> {
    this.#sincePause += text.length;
    if (this.#sincePause > AT_A_TIME) {
      this.#sincePause = 0;
      await yieldToOthers();
    }
    const clean = this.#known.get(text) ?? this.#mask(text);
    this.#known.set(text, clean);
    if (clean !== text) this.#masked.push(pointer);
    return clean;
  }

  #mask(text: string): string {
    const { masker, key, seen, values: more } = this.#masking;
    const hasOwnForm = isUuid(text) || HASH.test(text) || text.length > MAX_FORMS;
    return hasOwnForm ? masker.maskKnown(text, { key, more }) : masker.maskForms(text, { key, seen, more });
  }
}
