import { SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Agent } from "undici";
import type { ByteRoom } from "../../byte-room.ts";
import type { HttpSettings } from "../server-settings.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { requestHeaders } from "./request-headers.ts";
import type { UnansweredRequests } from "../unanswered-requests.ts";
import { serverFetch } from "./server-fetch.ts";
import { TrackedTransport } from "./tracked-transport.ts";

/** The time that the server may take to end a session. */
const TERMINATE_MS = 2_000;

interface HttpConnection extends AsyncDisposable {
  readonly transport: TrackedTransport;
}

/**
 * The transport to a server over HTTP, not yet started. Disposal ends the server's session and all requests.
 * `onLost` is called when the one stream that carries all answers (type `sse`) ends.
 */
export function openHttp(
  settings: HttpSettings,
  options: {
    readonly sessionId: string;
    readonly agent: Agent;
    readonly maxBytes: number;
    readonly onLost: () => void;
    readonly tokens: AccessTokens | undefined;
    readonly requests: UnansweredRequests;
    readonly room: ByteRoom;
  },
): HttpConnection {
  const { agent, maxBytes, tokens, requests, room } = options;
  const isSse = settings.type === "sse";
  const fetch = serverFetch({
    settings,
    agent,
    maxBytes,
    onEventStreamEnd: () => (isSse ? options.onLost() : undefined),
    read: (text, held) => requests.readableText(text, held),
    room,
  });
  const common = {
    fetch,
    requestInit: { headers: requestHeaders(settings, options.sessionId) },
    ...(tokens === undefined ? {} : { authProvider: tokens }),
  };
  const inner = isSse
    ? new SSEClientTransport(settings.url, common)
    : new StreamableHTTPClientTransport(settings.url, {
        ...common,
        onInsufficientScope: "throw",
        reconnectionOptions: {
          initialReconnectionDelay: 500,
          maxReconnectionDelay: 5_000,
          reconnectionDelayGrowFactor: 2,
          maxRetries: 2,
        },
      });
  return {
    transport: new TrackedTransport(inner, requests),
    [Symbol.asyncDispose]: async () => {
      if (inner instanceof StreamableHTTPClientTransport) {
        const timer = setTimeout(() => void inner.close().catch(() => undefined), TERMINATE_MS);
        await inner.terminateSession().catch(() => undefined); // the server drops it some day
        clearTimeout(timer);
      }
      await inner.close().catch(() => undefined);
    },
  };
}
