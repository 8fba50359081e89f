import type { Server } from "node:http";

const GRACE_MS = 3_000;

/** Stops accepting, lets requests under way finish for 3 s, then closes what is left. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  server.closeIdleConnections();
  const force = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await closed;
  clearTimeout(force);
}
