import { stamp } from "./pace.ts";

/** Length of a token. Divides the longest chunk of an executor and the batches of NOTIFY, so that neither cuts a stamp. */
export const TOKEN_CHARS = 64;

/** A numbered text of fixed length with its time of sending. */
export function token(sequence: number): string {
  return stamp(sequence).padEnd(TOKEN_CHARS, "x");
}
