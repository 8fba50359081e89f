import { Client, type ClientConfig } from "pg";

/**
 * An address that does not answer is given up after this long. The kernel repeats the first packet after 1, 3 and 7 s only: of a
 * connection that was begun while a container had gone and its address belonged to none, 3 s or more pass until it is made,
 * however soon the address is back.
 */
export const DIAL_TIMEOUT_MS = 1_000;
/** What a server offers or asks for instead of a proof that is bound to the channel. */
const UNBOUND = ["authenticationCleartextPassword", "authenticationMD5Password", "authenticationOk"];

/**
 * The class of connections to an address. Each gets time limits of its own: pg-pool has one setting, `connectionTimeoutMillis`, for
 * connecting and for waiting until a connection of the pool is free; a busy pool then looks like a server that is away. With
 * `bindsChannel` a server that does not prove that it knows the password and has the certificate is given up.
 */
export function clientClass({
  connectMs,
  bindsChannel,
}: {
  readonly connectMs: number;
  readonly bindsChannel: boolean;
}): typeof Client {
  return class extends Client {
    constructor(config?: ClientConfig) {
      // The pool hides the password from copies.
      super({ ...config, password: config?.password, connectionTimeoutMillis: connectMs });
      limitDialling(this);
      if (bindsChannel) requireBinding(this);
    }
  };
}

function limitDialling({ connection: { stream } }: Client): void {
  let timer: NodeJS.Timeout | undefined;
  const settle = () => clearTimeout(timer);
  // Not counted: the time that the name server takes.
  stream.on("connectionAttempt", () => {
    settle();
    timer = setTimeout(() => stream.destroy(new DialTimeoutError()), DIAL_TIMEOUT_MS);
  });
  stream.once("connect", settle);
  stream.once("close", settle);
}

class DialTimeoutError extends Error {
  readonly code = "ETIMEDOUT";

  constructor() {
    super(`the address of Postgres did not answer within ${DIAL_TIMEOUT_MS / 1_000} s`);
  }
}

function requireBinding({ connection }: Client): void {
  let isBound = false;
  const refuse = () =>
    connection.stream.destroy(
      new Error("channel binding is required, and the server does not offer SCRAM-SHA-256-PLUS"),
    );
  connection.on("authenticationSASL", ({ mechanisms }: { readonly mechanisms: readonly string[] }) => {
    isBound = mechanisms.includes("SCRAM-SHA-256-PLUS");
    if (!isBound) refuse();
  });
  for (const event of UNBOUND) connection.on(event, () => void (isBound || refuse()));
}
