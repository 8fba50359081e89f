import { api, socketUrl } from "./client.ts";

/**
 * Opens a WebSocket of the page's own origin. A socket cannot send the credential of the page, so it takes a ticket, also
 * where no credential is needed: asking for one is cheap.
 */
export async function openSocket(url: string = socketUrl()): Promise<WebSocket> {
  const { ticket } = await api.call("POST /api/v1/ws-ticket");
  return new WebSocket(url, `tarsy.ticket.${ticket}`);
}
