import { WebSocket } from "ws";

/** The HTTP status that answers a handshake. */
export async function tryHandshake(url: string, origin?: string): Promise<number> {
  const socket = new WebSocket(url, origin === undefined ? {} : { origin });
  return new Promise((resolve, reject) => {
    socket.on("upgrade", ({ statusCode = 0 }) => resolve(statusCode));
    socket.on("open", () => socket.terminate());
    socket.on("unexpected-response", (_request, { statusCode = 0 }) => {
      resolve(statusCode);
      socket.terminate();
    });
    socket.on("error", reject);
  });
}
