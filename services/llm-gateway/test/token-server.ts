import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { listen } from "#shared/service/listen.ts";

/** One request for a token. */
interface TokenCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly form: URLSearchParams;
}

/** A fake of Microsoft's sign-in and metadata services: each answer is a status and a body; the last one is repeated. */
export async function openTokenServer(...answers: readonly (readonly [number, object])[]) {
  const calls: TokenCall[] = [];
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { method = "", url: path = "", headers } = incoming;
    const index = Math.min(calls.length, answers.length - 1);
    calls.push({ method, path, headers, form: new URLSearchParams(await text(incoming)) });
    const [status, body] = answers[index] ?? [500, {}];
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  };
  const server = createServer((incoming, response) => void answer(incoming, response));
  await listen(server, { host: "127.0.0.1", port: 0 });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`,
    calls,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
