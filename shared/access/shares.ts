import { isPersonal, type Identity } from "#shared/access/identity.ts";

/** One identity may have a fifth of the limit for all together. */
const SHARE = 1 / 5;

/** The part of `total` that one identity may have; all of it where identities are not distinguished. */
export function shareOf(total: number, identity: Identity): number {
  return isPersonal(identity) ? Math.max(1, Math.floor(total * SHARE)) : total;
}

/** The key by which limits count. */
export function limitKey({ via, subject }: Identity): string {
  return `${via}:${subject}`;
}

/** Slots that all identities share, such as open connections. */
export class SharedSlots {
  readonly #total: number;
  readonly #byIdentity = new Map<string, number>();
  #taken = 0;

  constructor(total: number) {
    this.#total = total;
  }

  /** Takes a slot; returns how to give it back, or why there is none: all are taken, or the identity has its share. */
  take(identity: Identity): { readonly release: () => void } | "full" | "share_used" {
    const key = limitKey(identity);
    const own = this.#byIdentity.get(key) ?? 0;
    if (this.#taken >= this.#total) return "full";
    if (own >= shareOf(this.#total, identity)) return "share_used";
    this.#taken += 1;
    this.#byIdentity.set(key, own + 1);
    let isTaken = true;
    return {
      release: () => {
        if (!isTaken) return;
        isTaken = false;
        this.#taken -= 1;
        const left = (this.#byIdentity.get(key) ?? 1) - 1;
        if (left === 0) this.#byIdentity.delete(key);
        else this.#byIdentity.set(key, left);
      },
    };
  }
}
