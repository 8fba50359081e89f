import { createServer } from "node:http";
import { WebSocketServer } from "ws";

/** A minimal WebSocket server: sends every text from its parent to all clients in a loop. */
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
const server = createServer();
server.on("upgrade", (request, socket, head) =>
  sockets.handleUpgrade(request, socket, head, () => undefined),
);
process.on("message", (text) => {
  if (typeof text !== "string") return;
  for (const client of sockets.clients) client.send(text);
});
process.on("disconnect", () => process.exit());
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.(address !== null && typeof address === "object" ? address.port : 0);
});
