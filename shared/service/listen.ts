import { once } from "node:events";
import type { Server } from "node:net";
import { TerminalError, errorMessage } from "#shared/errors.ts";

/**
 * Binds a server and resolves once it listens. Throws TerminalError `port_unavailable` with a one-sentence message when
 * the port is taken or cannot be bound.
 */
export async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    throw new TerminalError("port_unavailable", describe(error, host, port), { cause: error });
  }
}

function describe(error: unknown, host: string, port: number): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "EADDRINUSE":
      return `port ${port} on ${host} is taken by another program: stop it or choose another port`;
    case "EACCES":
      return `port ${port} on ${host} needs privileges: choose one above 1023`;
    default:
      return `cannot listen on ${host}:${port}: ${errorMessage(error)}`;
  }
}
