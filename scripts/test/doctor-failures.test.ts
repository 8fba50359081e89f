import { mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { stringify } from "yaml";
import { listen } from "#shared/service/listen.ts";
import { NOTHING_LISTENS } from "../../test/support/nothing-listens.ts";
import { tarsyHere } from "./tarsy-here.ts";

/** What a server does, and what doctor says of its start. */
const FAILURES: readonly (readonly [what: string, answer: RequestListener, says: RegExp])[] = [
  ["is silent", () => undefined, /^\w+ cannot be reached: no handshake within 1 s$/u],
  [
    "sends a blank now and then",
    (request, response) => {
      const timer = setInterval(() => response.write(" "), 50);
      request.socket.on("close", () => clearInterval(timer));
    },
    /no handshake within 1 s$/u,
  ],
  ["refuses the credentials", (_, response) => response.writeHead(401).end(), /HTTP status 401$/u],
  ["hangs up", (request) => request.socket.destroy(), /the connection ended without an answer/u],
  [
    "redirects to a sign-in",
    (_, response) => response.writeHead(302, { location: "https://login.example/" }).end(),
    /HTTP status 302: it redirects to https:\/\/login\.example\//u,
  ],
  [
    "answers with rubbish of the protocol",
    (request, response) => {
      request.on("data", (asked) => {
        const id = /"id":(?<id>[^,}]+)/u.exec(String(asked))?.groups?.["id"];
        response
          .setHeader("content-type", "application/json")
          .end(`{"jsonrpc":"2.0","id":${id},"result":[]}`);
      });
    },
    /Invalid result for initialize: \[ \{ .+\} \]$/u,
  ],
  [
    "answers with a page",
    (_, response) => response.setHeader("content-type", "text/html").end("<p>\u001B[2JSign in</p>"),
    /^\w+ cannot be reached: \P{Cc}+$/u,
  ],
];

describe("tarsy doctor", () => {
  for (const [what, answer, says] of FAILURES) {
    it(`says in one line why a server fails that ${what}`, async () => {
      using directory = mkdtempDisposableSync(join(tmpdir(), "tarsy-doctor-"));
      const server = createServer(answer);
      await listen(server, { host: "127.0.0.1", port: 0 });
      const address = server.address();
      const port = address !== null && typeof address === "object" ? address.port : 0;
      try {
        const transport = { type: "http", url: `http://127.0.0.1:${port}/mcp` };
        const pack = { pack: "odd", transport, connect_timeout: "1s", unlisted: true, tools: {} };
        mkdirSync(join(directory.path, "packs"));
        writeFileSync(join(directory.path, "packs", "odd.yaml"), stringify(pack));
        writeFileSync(join(directory.path, "tarsy.yaml"), "mcp_servers: { odd: { pack: odd } }\n");
        const args = ["doctor", "--config-dir", directory.path];
        const { code, out, errors } = await tarsyHere(args, { TARSY_API_URL: NOTHING_LISTENS });
        expect(code, errors).to.equal(1);
        const lines = out.split("\n");
        expect(lines).to.have.length(6);
        expect(lines[2]?.replace("  start      ", "")).to.match(says);
        expect(lines[4]).to.equal("  probe      not made");
      } finally {
        server.closeAllConnections();
        server.close();
      }
    });
  }
});
