import { VARIABLE_CODE, hideFrameCodes } from "#shared/cassette/frame-codes.ts";

/** Ids that derive from a session's id have this version of UUIDs; those of the infrastructure seldom have. */
const DERIVED_ID = /\b[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/giu;
const MASKED = /\[MASKED_([A-Z0-9_]{1,40}):([0-9a-f]{6})\]/gu;
const VARIABLE = new RegExp(String.raw`\{\{\.(\w+):${VARIABLE_CODE}\}\}`, "gu");

/**
 * Rewrites the texts of one request so that those of two runs of a session are equal: ids and digits of masked values become
 * numbers in the order in which they first appear, the session's codes and variables become names. Texts must be given in the
 * order of the request. The numbers of a longer conversation are those of its beginning.
 */
export class CanonicalTexts {
  readonly #nonce: string | null;
  readonly #sessionId: string;
  readonly #ids = new Map<string, string>();
  readonly #masked = new Map<string, string>();
  readonly #calls = new Map<string, string>();

  /** `nonce` is that of the session's prompts; null for texts of a cassette, which have placeholders. */
  constructor(sessionId: string, nonce: string | null) {
    this.#sessionId = sessionId.toLowerCase();
    this.#nonce = nonce;
  }

  text(text: string): string {
    const hidden = hideFrameCodes(text, this.#nonce).replaceAll(VARIABLE, "{{.$1}}");
    const named = hidden.replaceAll(MASKED, (_whole, kind: string, digits: string) => {
      return `[MASKED_${kind}:${numbered(this.#masked, digits, "")}]`;
    });
    const ids = named.replaceAll(DERIVED_ID, (id) => this.#id(id));
    return ids.includes(this.#sessionId) ? ids.replaceAll(this.#sessionId, this.#id(this.#sessionId)) : ids;
  }

  /** The id by which a call of a tool and its result name each other. */
  callId(id: string): string {
    return id === "" ? "" : numbered(this.#calls, id, "call-");
  }

  #id(id: string): string {
    return `<${numbered(this.#ids, id.toLowerCase(), "id-")}>`;
  }
}

function numbered(names: Map<string, string>, key: string, prefix: string): string {
  const known = names.get(key);
  if (known !== undefined) return known;
  const name = `${prefix}${names.size + 1}`;
  names.set(key, name);
  return name;
}
