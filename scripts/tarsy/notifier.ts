import { accessHeaders } from "./terminal/access-token.ts";

/** Opens the socket of a session. */
export interface Notifier {
  /** The addresses, for messages. */
  readonly url: string;
  /** Opens a connection to the address that worked last, else to the next one. */
  readonly open: () => WebSocket;
  /** No connection was opened so far, and there is an address that was not tried. */
  readonly isLooking: () => boolean;
}

/** A notifier at the first of these addresses that can be reached, with the caller's credential. */
export function openNotifier(
  urls: readonly [string, ...string[]],
  env: Readonly<Record<string, string | undefined>>,
): Notifier {
  let current = 0;
  let failed = 0;
  let wasOpen = false;
  return {
    url: urls.join(" and "),
    isLooking: () => !wasOpen && failed < urls.length,
    open: () => {
      const url = urls[current % urls.length] ?? urls[0];
      const socket = new WebSocket(url, { headers: accessHeaders(url, env) });
      let isOpen = false;
      socket.addEventListener("open", () => (isOpen = wasOpen = true));
      socket.addEventListener("error", () => {
        if (isOpen) return;
        failed += 1;
        current += 1;
      });
      return socket;
    },
  };
}
