import { tmpdir } from "node:os";
import type { Agent } from "undici";
import type { Transport } from "@modelcontextprotocol/client";
import type { Environment } from "#shared/service/environment.ts";
import type { ByteRoom } from "../byte-room.ts";
import type { AccessTokens } from "./http/access-tokens.ts";
import { openHttp } from "./http/open-http.ts";
import type { TrackedTransport } from "./http/tracked-transport.ts";
import type { ServerSettings } from "./server-settings.ts";
import type { ProcessGroups } from "./stdio/process-groups.ts";
import type { ServerUser } from "./stdio/server-user.ts";
import { UnansweredRequests } from "./unanswered-requests.ts";
import { StdioTransport } from "./stdio/stdio-transport.ts";

/** JSON escapes double most results at worst, and many servers send a result as text and as structured content. */
const MESSAGE_FACTOR = 4;
const MESSAGE_EXTRA = 1024 * 1024;

export interface TransportDeps {
  readonly settings: ServerSettings;
  readonly groups: ProcessGroups;
  /** This process's own environment, of which a server's process gets little. */
  readonly env: Environment;
  /** The user of the processes of servers; absent: that of this process. */
  readonly user?: ServerUser;
  /** The value of `{{.SESSION_ID}}`; empty for connections of no execution. */
  readonly executionId: string;
  /** The room for the bytes of large messages. */
  readonly room: ByteRoom;
  /** The connections to a server over HTTP. */
  readonly agent: Agent;
  /** Absent for a server without `auth`. */
  readonly tokens?: AccessTokens;
}

/** A transport with the facts that the client library's own interface lacks. Disposal ends it. */
export interface OpenTransport extends AsyncDisposable {
  readonly transport: Transport;
  readonly tracked: TrackedTransport | undefined;
  readonly requests: UnansweredRequests;
  /** The end of the server's log, for the message of a failure: whole lines, not masked. */
  readonly log: () => string;
  /** The reason why it has ended, if that is known. */
  readonly why: () => string | undefined;
}

/** The transport to a server, not yet started; `onLost` is called if the one stream that carries all answers ends. */
export function openTransport(
  { settings, groups, env, user, executionId, agent, tokens, room }: TransportDeps,
  onLost: () => void,
): OpenTransport {
  const { transport, maxResultBytes } = settings;
  const requests = new UnansweredRequests();
  const maxBytes = maxResultBytes * MESSAGE_FACTOR + MESSAGE_EXTRA;
  if (transport.type !== "stdio") {
    const http = openHttp(transport, {
      sessionId: executionId,
      agent,
      maxBytes,
      onLost,
      tokens,
      requests,
      room,
    });
    return {
      transport: http.transport,
      tracked: http.transport,
      requests,
      log: () => "",
      why: () => undefined,
      [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
    };
  }
  const { command, args } = transport;
  const stdio = new StdioTransport({
    command,
    args,
    env: childEnvironment(env, transport.env),
    cwd: tmpdir(),
    ...(user === undefined ? {} : { user }),
    groups,
    maxMessageBytes: maxBytes,
    requests,
    room,
  });
  return {
    transport: stdio,
    tracked: undefined,
    requests,
    log: () => stdio.log,
    why: () => stdio.why,
    [Symbol.asyncDispose]: () => stdio.close(),
  };
}

const ALLOWED = new Set([
  "PATH",
  "HOME",
  "LANG",
  "TZ",
  "TMPDIR",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "ALL_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "all_proxy",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
]);

/** The variables of a server's process: a few harmless ones of this process, and those configured for the server. */
function childEnvironment(
  own: Environment,
  configured: Readonly<Record<string, string>>,
): Record<string, string> {
  const kept = Object.entries(own).flatMap(([name, value]) =>
    value !== undefined && (ALLOWED.has(name) || name.startsWith("LC_")) ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(kept), ...configured };
}
