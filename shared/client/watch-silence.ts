const TICK_MS = 15_000;

/**
 * Pings a socket of the notifier on which nothing arrives, and calls `onDead` if nothing follows: a network that is gone, or a
 * proxy that hangs, closes no connection. It takes two to three ticks. Returns a function that ends it.
 */
export function watchSilence(socket: WebSocket, onDead: () => void, tickMs = TICK_MS): () => void {
  let wasHeard = true;
  let wasAsked = false;
  const hear = () => (wasHeard = true);
  socket.addEventListener("message", hear);
  const timer = setInterval(() => {
    if (wasHeard) {
      wasHeard = false;
      wasAsked = false;
      return;
    }
    if (wasAsked) {
      onDead();
      return;
    }
    wasAsked = true;
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify({ action: "ping" }));
  }, tickMs);
  return () => {
    clearInterval(timer);
    socket.removeEventListener("message", hear);
  };
}
