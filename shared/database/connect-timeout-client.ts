import { Client, type ClientConfig } from "pg";

/** What a server offers or asks for instead of a proof that is bound to the channel. */
const UNBOUND = ["authenticationCleartextPassword", "authenticationMD5Password", "authenticationOk"];

/**
 * The class of connections to an address. Each gets a time limit of its own: pg-pool has one setting, `connectionTimeoutMillis`, for
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
      if (bindsChannel) requireBinding(this);
    }
  };
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
