import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { coerceError } from "#shared/errors.ts";
import { listen } from "#shared/service/listen.ts";
import { http } from "#shared/service/node-http.ts";
import { pieceBytes, type ProviderRecording } from "./recording.ts";

interface RecordingServerOptions {
  readonly port?: number;
  /** False to send every piece at once. */
  readonly keepTimes: boolean;
}

/** Headers that belong to the connection, or are not known any more. */
const NOT_REPLAYED = new Set(["connection", "content-encoding", "content-length", "transfer-encoding"]);
const REDACTED = "[redacted]";

/**
 * Serves a recorded exchange on 127.0.0.1: every POST gets the recorded response, its body in the recorded pieces, and the
 * recorded end. A recording without a response, and one that was cut, end with a reset connection; one that the gateway
 * left stays open.
 */
export async function replayRecording(
  recording: ProviderRecording,
  { port = 0, keepTimes }: RecordingServerOptions,
) {
  const server = http.createServer((incoming: IncomingMessage, response: ServerResponse) => {
    play(incoming, response, recording, keepTimes).catch((error: unknown) =>
      response.destroy(coerceError(error)),
    );
  });
  await listen(server, { host: "127.0.0.1", port });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function play(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { response, ended }: ProviderRecording,
  keepTimes: boolean,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  incoming.resume();
  await once(incoming, "end");
  if (response === undefined) {
    outgoing.socket?.resetAndDestroy();
    return;
  }
  let at = 0;
  const waitUntil = async (ms: number) => {
    if (keepTimes && ms > at) await wait(ms - at, undefined, { signal: gone.signal });
    at = Math.max(at, ms);
  };
  try {
    await waitUntil(response.at_ms);
    const headers = Object.entries(response.headers).filter(
      ([name, value]) => !NOT_REPLAYED.has(name) && value !== REDACTED,
    );
    outgoing.writeHead(response.status, Object.fromEntries(headers));
    outgoing.flushHeaders();
    for (const piece of response.pieces) {
      await waitUntil(piece.at_ms);
      if (!outgoing.write(pieceBytes(piece))) await once(outgoing, "drain", { signal: gone.signal });
    }
  } catch (error) {
    if (gone.signal.aborted) return;
    throw error;
  }
  if (ended === "complete") outgoing.end();
  else if (ended !== "left") outgoing.socket?.resetAndDestroy();
}
