import { tooMany } from "#shared/access/access-refused.ts";
import type { Identity } from "#shared/access/identity.ts";
import { RateLimit } from "#shared/access/rate-limit.ts";
import { limitKey, shareOf } from "#shared/access/shares.ts";

const ALL = "all";

/** How many alerts may be submitted in a minute: by all, and by one identity. A minute's worth may come at once. */
export class SubmissionRate {
  readonly #perMinute: number;
  readonly #all: RateLimit;
  readonly #each: RateLimit;

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
    this.#all = rate(perMinute);
    this.#each = rate(Math.max(1, Math.floor(perMinute / 5)));
  }

  /** Counts a submission. Throws AccessRefused 429 if it is one too many. */
  check(identity: Identity): void {
    const share = shareOf(this.#perMinute, identity);
    const own = share === this.#perMinute ? 0 : this.#each.take(limitKey(identity));
    if (own > 0) throw tooMany(`you may submit ${share} alerts a minute`, own);
    const all = this.#all.take(ALL);
    if (all > 0) throw tooMany(`${this.#perMinute} alerts a minute are taken from all clients together`, all);
  }
}

function rate(perMinute: number): RateLimit {
  return new RateLimit({ perSecond: perMinute / 60, burst: perMinute });
}
