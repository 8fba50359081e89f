import { Client, type ClientConfig } from "pg";

/** A server that accepts a connection and stays silent is given up after this long. */
export const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Gives each new connection a time limit of its own. pg-pool has one setting, `connectionTimeoutMillis`, for connecting
 * and for waiting until a connection of the pool is free; a busy pool then looks like a server that is away.
 */
export class ConnectTimeoutClient extends Client {
  constructor(config?: ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  }
}
