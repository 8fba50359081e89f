/** The name of one half of what lets this page in; the other is a cookie that scripts cannot read. Other ports have other storages. */
export const PAGE_PROOF = "tarsy.page";

/** What the page sends beside its cookie; undefined if it has not signed in, or storage is switched off. */
export function pageProof(): string | undefined {
  try {
    return globalThis.localStorage?.getItem(PAGE_PROOF) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the proof for this origin, or forgets it. Throws where storage is switched off. */
export function keepPageProof(proof: string | undefined): void {
  if (proof === undefined) globalThis.localStorage?.removeItem(PAGE_PROOF);
  else globalThis.localStorage?.setItem(PAGE_PROOF, proof);
}
