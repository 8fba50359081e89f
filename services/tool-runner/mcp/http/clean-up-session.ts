import type { Agent } from "undici";
import type { ServerSettings } from "../server-settings.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { requestHeaders } from "./request-headers.ts";
import { serverFetch } from "./server-fetch.ts";
import { insertSessionId } from "./session-id.ts";

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 64 * 1024;

/**
 * Sends the DELETE by which a server with a `session_cleanup_url` drops what it keeps for an execution. Resolves with
 * whether the server has nothing (more) to drop; never rejects.
 */
export async function cleanUpSession(
  transport: ServerSettings["transport"],
  executionId: string,
  { agent, tokens }: { readonly agent: Agent; readonly tokens?: Pick<AccessTokens, "token"> | undefined },
): Promise<boolean> {
  if (transport.type === "stdio" || transport.sessionCleanupUrl === undefined) return true;
  const url = insertSessionId(transport.sessionCleanupUrl, encodeURIComponent(executionId));
  const fetch = serverFetch({
    settings: transport,
    agent,
    maxBytes: MAX_BYTES,
    onEventStreamEnd: () => undefined,
  });
  try {
    const headers = requestHeaders(transport, executionId);
    if (tokens !== undefined) headers.set("authorization", `Bearer ${await tokens.token()}`);
    const { status } = await fetch(url, {
      method: "DELETE",
      headers,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return status === 200 || status === 204 || status === 404;
  } catch {
    return false;
  }
}
