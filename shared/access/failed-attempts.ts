import { AccessRefused, tooMany } from "#shared/access/access-refused.ts";
import { RateLimit } from "#shared/access/rate-limit.ts";

/** Failed authentications of one address that are answered with 401: at once, and then a second. */
const BURST = 300;
const PER_SECOND = 10;

/** Tells those apart who try credentials. Never refuses a valid one: many clients may have one address. */
export class FailedAttempts {
  readonly #limit = new RateLimit({ perSecond: PER_SECOND, burst: BURST });

  /** Settles as `attempt` does, but with AccessRefused 429 instead of 401 after too many failures from the address. */
  async count<T>(address: string | undefined, attempt: () => T | Promise<T>): Promise<T> {
    try {
      return await attempt();
    } catch (error) {
      const isFailure = error instanceof AccessRefused && error.status === 401;
      const seconds = isFailure && address !== undefined ? this.#limit.take(address) : 0;
      if (seconds > 0) throw tooMany("too many failed authentications from this address", seconds);
      throw error;
    }
  }
}
