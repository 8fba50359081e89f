import { createServer } from "node:http";
import { WebSocketServer } from "ws";

/** The least a server can do: every text that its parent sends goes to every client, as it is, in a loop. */
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
