/** An address on which nothing listens: its port is reserved, so no other process can be given it. */
export const NOTHING_LISTENS = "http://127.0.0.1:2";
