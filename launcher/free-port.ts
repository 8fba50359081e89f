import { createServer } from "node:net";

const first = 20_000;
const count = 12_000;
const maxTries = 200;

/** What keeps us from listening on `host`:`port` right now, as an error code such as EADDRINUSE; `undefined` when it is free. */
export async function portObstacle(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/**
 * A free TCP port on `host`, below the range the kernel hands to outgoing connections: so that a server that
 * was killed finds its port free again when it comes back.
 * @throws Error when 200 random ports in a row are taken.
 */
export async function freePort(host: string): Promise<number> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const port = first + Math.floor(Math.random() * count);
    if ((await portObstacle(host, port)) === undefined) return port;
  }
  throw new Error(`No free TCP port found on ${host} between ${first} and ${first + count - 1}.`);
}
