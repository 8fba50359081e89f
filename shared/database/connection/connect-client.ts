import type { Client, ClientConfig } from "pg";
import { clientClass } from "#shared/database/connection/connect-timeout-client.ts";
import {
  requireDatabaseAddress,
  type DatabaseAddress,
} from "#shared/database/connection/database-address.ts";
import type { Tls } from "#shared/database/connection/database-tls.ts";

/** Opens one connection for a short task. Throws what `requireDatabaseAddress` and the driver throw. The caller ends it. */
export async function connectClient(url: string, settings: ClientConfig = {}): Promise<Client> {
  const address = requireDatabaseAddress(url);
  return firstTls(address, async (ssl) => {
    const client = new (clientClass(address))({ ...settings, ...address.client, ssl });
    client.on("error", () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  });
}

/** Connects with the first TLS setting of an address that the server takes, as `prefer` and `allow` mean it. */
export async function firstTls<T>({ tls }: DatabaseAddress, connect: (ssl: Tls) => Promise<T>): Promise<T> {
  const [first, second] = tls;
  try {
    return await connect(first);
  } catch (error) {
    if (tls.length < 2 || !isAboutTls(error)) throw error;
    return connect(second);
  }
}

/** The server has no TLS, or refuses this user with it or without it. */
function isAboutTls(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && error.code === "28000") || /SSL|TLS/u.test(error.message);
}
