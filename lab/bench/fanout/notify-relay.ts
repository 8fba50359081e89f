import { createServer } from "node:http";
import { Client } from "pg";
import { WebSocketServer } from "ws";

/** A WebSocket server that sends every payload of NOTIFY to all clients. Its argument is the database URL. */
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, clientTracking: true });
const server = createServer();
server.on("upgrade", (request, socket, head) =>
  sockets.handleUpgrade(request, socket, head, () => undefined),
);
const database = new Client({ connectionString: process.argv[2] });
await database.connect();
database.on("notification", ({ payload = "" }) => {
  for (const client of sockets.clients) client.send(payload);
});
await database.query("LISTEN tokens");
process.on("disconnect", () => process.exit());
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.(address !== null && typeof address === "object" ? address.port : 0);
});
