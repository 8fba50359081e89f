import type { Rewrite } from "./tcp-proxy.ts";

interface LossyNatsOptions {
  /** Returns numbers from 0 to 1. The same sequence causes the same losses. */
  readonly random: () => number;
  /** Shares, from 0 to 1, of the messages on matching subjects. */
  readonly drop: number;
  readonly duplicate: number;
  readonly subjects: RegExp;
}

/** The first line of a protocol message. Only `MSG` and `HMSG` have a payload after it. */
const HEAD = /^(?:H?MSG (?<subject>\S+) (?:\S+ )+(?<size>\d+)|.*)\r\n/u;

/**
 * A rewrite for a proxy in front of a NATS server. Drops and duplicates delivered messages, as a core NATS subscription
 * may experience (TCP alone does not lose data). Passes on the rest of the protocol unchanged.
 */
export function lossyNatsRewrite({ random, drop, duplicate, subjects }: LossyNatsOptions): Rewrite {
  return () => {
    let pending = Buffer.alloc(0);
    return (bytes) => {
      pending = Buffer.concat([pending, bytes]);
      const out: Buffer[] = [];
      for (;;) {
        const end = pending.indexOf("\r\n");
        if (end === -1) break;
        const { subject = "", size } = HEAD.exec(pending.toString("latin1", 0, end + 2))?.groups ?? {};
        const length = end + 2 + (size === undefined ? 0 : Number(size) + 2);
        if (pending.length < length) break;
        const whole = pending.subarray(0, length);
        pending = pending.subarray(length);
        const dice = subjects.test(subject) ? random() : 1;
        if (dice >= drop) out.push(whole);
        if (dice >= drop && dice < drop + duplicate) out.push(whole);
      }
      return Buffer.concat(out);
    };
  };
}
