import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { listen } from "#shared/service/listen.ts";
import { ADAPTERS } from "./adapters.ts";
import { TEST_KEY, openGateway } from "./open-gateway.ts";

/** One API of each HTTP client and reader of answers. */
const APIS = new Set(["Gemini", "chat completions", "Anthropic's messages"]);
const TEXT = [{ text: "fi" }, { text: "ne 💾" }];

/** Serves one connection from its first bytes; `turn` counts requests over all connections, from 0. */
type Play = (socket: Socket, turn: number) => void;

async function openRawServer(play: Play) {
  let turn = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      if (bytes.toString("latin1").startsWith("POST ")) play(socket, turn++);
    });
  });
  await listen(server, { host: "127.0.0.1", port: 0 });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`,
    turns: () => turn,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

const SSE = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";
const page = (head: string, body: string) =>
  `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const chunked = (pieces: readonly Uint8Array[], trailers = "") =>
  Buffer.concat([
    ...pieces.flatMap((piece) => [
      Buffer.from(`${piece.length.toString(16)}\r\n`),
      piece,
      Buffer.from("\r\n"),
    ]),
    Buffer.from(`0\r\n${trailers}\r\n`),
  ]);

for (const [name, { request, format }] of Object.entries(ADAPTERS).filter(([key]) => APIS.has(key))) {
  describe(`llm-gateway with unusual HTTP responses from ${name}`, () => {
    const whole = Buffer.concat(format(TEXT).map(({ raw }) => Buffer.from(raw)));
    const ask = async (play: Play) => {
      await using server = await openRawServer(play);
      await using gateway = await openGateway({ stallMs: 5_000 });
      const result = await gateway.ask(request(server.url));
      expect(JSON.stringify(result)).not.to.contain(TEST_KEY);
      return { ...result, turns: server.turns() };
    };

    it("reads chunks with trailers, cut inside characters", async () => {
      const pieces = [...whole].map((byte) => Buffer.of(byte));
      const { text, error } = await ask((socket) => {
        socket.write(`${SSE}transfer-encoding: chunked\r\ntrailer: x-sum\r\n\r\n`);
        socket.write(chunked(pieces, "x-sum: 1\r\n"));
      });
      expect({ text, error }).to.deep.equal({ text: "fine 💾", error: undefined });
    });

    it("reads an answer that ends with its connection", async () => {
      const { text, error } = await ask((socket) =>
        socket.end(Buffer.concat([Buffer.from(`${SSE}\r\n`), whole])),
      );
      expect({ text, error }).to.deep.equal({ text: "fine 💾", error: undefined });
    });

    it("reads a compressed answer, asked for or not", async () => {
      const { text, error } = await ask((socket) =>
        socket.write(
          Buffer.concat([
            Buffer.from(`${SSE}content-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n`),
            chunked([gzipSync(whole)]),
          ]),
        ),
      );
      expect({ text, error }).to.deep.equal({ text: "fine 💾", error: undefined });
    });

    it("reads a compressed error response", async () => {
      const body = gzipSync(JSON.stringify({ error: { message: "no such thing", type: "x", code: 400 } }));
      const { error } = await ask((socket) => {
        const head = `HTTP/1.1 400 Bad\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`;
        socket.write(Buffer.concat([Buffer.from(head), body]));
      });
      expect(error).to.deep.include({ code: "invalid_request", retryable: false });
      expect(error?.message).to.contain("no such thing");
    });

    it("reports 200 with a web page once, and says to check base_url", async () => {
      for (const body of [
        "<html>\n<head><title>Sign\n in</title></head><p>Please</p>\n</html>",
        `\n <!DOCTYPE html><title>Sign in</title>${"x".repeat(100_000)}`,
      ]) {
        const { error, turns } = await ask((socket) =>
          socket.write(page("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n", body)),
        );
        expect(error).to.deep.include({ code: "invalid_request", retryable: false });
        expect(error?.message).to.contain('a web page with the title "Sign in"').and.contain("base_url");
        expect(turns).to.equal(1);
      }
    });

    it("reads an answer of a server that calls it a web page", async () => {
      const { text, error } = await ask((socket) =>
        socket.write(page("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n", whole.toString())),
      );
      expect({ text, error }).to.deep.equal({ text: "fine 💾", error: undefined });
    });

    it("says of a page with an error status what it is, without its text", async () => {
      const nginx = "<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>nginx</body></html>";
      const { error, turns } = await ask((socket) =>
        socket.write(page("HTTP/1.1 404 Not Found\r\ncontent-type: text/html\r\n", nginx)),
      );
      expect(turns).to.equal(1);
      expect(error).to.deep.include({ code: "invalid_request", retryable: false });
      expect(error?.message)
        .to.contain('a web page with the title "404 Not Found"')
        .and.contain("check base_url")
        .and.not.contain("nginx");
    });

    it("reports 200 with an error in JSON in the provider's words", async () => {
      const body = JSON.stringify({
        error: { code: 400, type: "invalid_request_error", message: "no such model" },
      });
      const { error } = await ask((socket) =>
        socket.write(page("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n", body)),
      );
      expect(error?.message).to.contain("no such model");
    });

    it("uses a new connection when the server closed the idle one between two calls", async () => {
      await using server = await openRawServer((socket) => {
        socket.write(`${SSE}transfer-encoding: chunked\r\n\r\n`);
        socket.write(chunked([whole]), () => setImmediate(() => socket.destroy()));
      });
      await using gateway = await openGateway();
      for (let call = 0; call < 10; call += 1) {
        const { text, error } = await gateway.ask(request(server.url));
        expect({ text, error }).to.deep.equal({ text: "fine 💾", error: undefined });
      }
    });

    it("reports the error of a provider that answers before it has read the request", async () => {
      const large = request("");
      const messages = [{ ...large.messages[0], content: "x".repeat(6 * 1024 * 1024) }];
      await using server = await openRawServer((socket) => {
        socket.pause();
        const body = JSON.stringify({ error: { code: 413, message: "too large" } });
        socket.end(
          page("HTTP/1.1 413 Too Large\r\ncontent-type: application/json\r\nconnection: close\r\n", body),
        );
      });
      await using gateway = await openGateway({ stallMs: 5_000 });
      const sent = request(server.url);
      Object.assign(sent, { messages: sent.messages.map((message) => ({ ...message, ...messages[0] })) });
      const { error } = await gateway.ask(sent);
      expect(error).to.deep.include({ code: "context_too_long", retryable: false });
    });
  });
}
