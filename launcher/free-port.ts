import { createServer } from "node:net";

const first = 20_000;
const count = 12_000;
const maxTries = 200;

/** The error code of listening on `host`:`port`, such as EADDRINUSE; `undefined` if the port is free. */
export async function listenErrorCode(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/**
 * Finds a free TCP port on `host` below the range that the kernel uses for outgoing connections, so that a killed server
 * finds its port free when it restarts.
 * @throws Error if 200 random ports in a row are in use.
 */
export async function freePort(host: string): Promise<number> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const port = first + Math.floor(Math.random() * count);
    if ((await listenErrorCode(host, port)) === undefined) return port;
  }
  throw new Error(`No free TCP port found on ${host} between ${first} and ${first + count - 1}.`);
}
