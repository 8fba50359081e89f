type Era = "legacy" | "modern";

/** A server may be upgraded: what it speaks is asked again after this time. */
const KNOWN_FOR_MS = 10 * 60_000;

/** The protocol that a server was found to speak. There is one per server of the configuration. */
export class ProtocolEra {
  #known: { readonly era: Era; readonly until: number } | undefined;

  get known(): Era | undefined {
    return this.#known !== undefined && performance.now() < this.#known.until ? this.#known.era : undefined;
  }

  learn(era: Era): void {
    this.#known = { era, until: performance.now() + KNOWN_FOR_MS };
  }

  forget(): void {
    this.#known = undefined;
  }
}
