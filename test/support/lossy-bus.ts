import type { Rewrite } from "./tcp-proxy.ts";

interface LossyBusOptions {
  /** From 0 to 1; the same sequence gives the same losses. */
  readonly random: () => number;
  /** Shares, from 0 to 1, of the messages on matching subjects. */
  readonly drop: number;
  readonly duplicate: number;
  readonly subjects: RegExp;
}

/** A server's message, from `MSG` or `HMSG` to the end of its payload, or one other line of the protocol. */
const HEAD = /^(?:H?MSG (?<subject>\S+) (?:\S+ )+(?<size>\d+)|.*)\r\n/u;

/**
 * For a proxy before a NATS server: loses and repeats messages that are delivered, as no real network does to TCP but
 * a core NATS subscription may experience. Everything else of the protocol passes.
 */
export function lossyBus({ random, drop, duplicate, subjects }: LossyBusOptions): Rewrite {
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
