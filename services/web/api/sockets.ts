import { api, socketUrl } from "./client.ts";

/**
 * Opens a WebSocket of the page's own origin. A socket cannot send what lets this page in, so it takes a ticket; where nobody
 * has to be let in none is needed, but asking costs nothing that matters.
 */
export async function openSocket(url: string = socketUrl()): Promise<WebSocket> {
  const { ticket } = await api.call("POST /api/v1/ws-ticket");
  return new WebSocket(url, `tarsy.ticket.${ticket}`);
}
