const AROUND_NAMES = /[\s[\](){}"'`,;:<>]+/u;
/** Longer texts name no source. */
const MAX_CHARS = 300;

/** Finds sources by what a model wrote, such as `[r7]`, `R7`, `call r7`. */
export class SourceNames<S extends { readonly id: string; readonly also?: readonly string[] }> {
  readonly #byName = new Map<string, S>();

  constructor(sources: readonly S[]) {
    for (const source of sources) {
      for (const name of [source.id, ...(source.also ?? [])]) {
        const key = name.toLowerCase();
        if (!this.#byName.has(key)) this.#byName.set(key, source);
      }
    }
  }

  /** The source that a text names; null if it names none, or several. */
  find(text: string): S | null {
    const name = text.slice(0, MAX_CHARS).trim().toLowerCase();
    const whole =
      this.#byName.get(name) ??
      this.#byName.get(name.replace(/^[[("'`<]+/u, "").replace(/[\])"'`>.:]+$/u, ""));
    if (whole !== undefined) return whole;
    const found = new Set(name.split(AROUND_NAMES).flatMap((part) => this.#byName.get(part) ?? []));
    const [only] = found;
    return found.size === 1 ? (only ?? null) : null;
  }
}
