import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { SECURITY_HEADERS } from "#shared/service/security-headers.ts";

// Serves timeline.html on the loopback address. `npm start` lists its origin for api and notifier.
const HOST = "127.0.0.1";
const PAGE = join(import.meta.dirname, "timeline.html");

const port = Number(process.env["TIMELINE_PORT"] ?? 8100);
const ws = process.env["TARSY_WS_URL"] ?? `ws://${HOST}:${process.env["NOTIFIER_PORT"] ?? "8081"}/ws`;
const page = await readFile(PAGE);
const server = createServer((request, response) => {
  const found = request.url === "/" || request.url?.startsWith("/?") === true;
  response.writeHead(found ? 200 : 404, {
    "content-type": "text/html; charset=utf-8",
    ...SECURITY_HEADERS,
    // The page has a stricter policy of its own, which cannot forbid frames.
    "content-security-policy": "frame-ancestors 'none'",
  });
  response.end(found ? page : "");
});
server.on("error", (error) => {
  process.stderr.write(`port ${port} cannot be used (${error.message}): choose another with TIMELINE_PORT\n`);
  process.exitCode = 1;
});
server.listen(port, HOST, () => {
  const address = server.address();
  const used = address !== null && typeof address === "object" ? address.port : port;
  process.stdout.write(`Open http://${HOST}:${used}/?${new URLSearchParams({ ws }).toString()}\n`);
});
