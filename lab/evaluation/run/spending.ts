/** Sums of money in whole micro-USD would round: the amounts are far below 2^53 of these. */
const PICO = 1e12;

/**
 * What a run may spend. The worst case of a cell is reserved before it starts and replaced by what it did cost once it has ended, so
 * that the limit holds whatever the running cells cost.
 */
export class Spending {
  readonly #limit: bigint | undefined;
  readonly #worstCase: bigint;
  #spent = 0n;
  #reserved = 0n;

  /** `worstCase` is that of one cell, in USD; without a `limit` nothing is ever refused. */
  constructor({
    limitUsd,
    worstCaseUsd,
  }: {
    readonly limitUsd: number | undefined;
    readonly worstCaseUsd: number;
  }) {
    this.#limit = limitUsd === undefined ? undefined : picos(limitUsd);
    this.#worstCase = picos(worstCaseUsd);
  }

  /** What has been spent, in USD. */
  get usd(): number {
    return Number(this.#spent) / PICO;
  }

  /** Counts what cells of earlier runs did cost. */
  addSpent(usd: number): void {
    this.#spent += picos(usd);
  }

  /** False if one more cell could exceed the limit. */
  get fits(): boolean {
    return this.#limit === undefined || this.#spent + this.#reserved + this.#worstCase <= this.#limit;
  }

  /** Reserves for a cell that starts. */
  reserve(): void {
    this.#reserved += this.#worstCase;
  }

  /** Settles a cell that has ended; null for a cost that is not known, which counts as the worst case. */
  settle(usd: number | null): void {
    this.#reserved -= this.#worstCase;
    this.#spent += usd === null ? this.#worstCase : picos(usd);
  }
}

function picos(usd: number): bigint {
  return BigInt(Math.round(usd * PICO));
}
