import type { Bus } from "#shared/bus/open-bus.ts";
import { errorMessage } from "#shared/errors.ts";

/** Calls `handle` each time the connection is back after a loss: live messages sent meanwhile are gone. */
export function onReconnect(bus: Bus, handle: () => void): void {
  const follow = async () => {
    for await (const { type } of bus.connection.status()) if (type === "reconnect") handle();
  };
  void follow().catch((error: unknown) =>
    bus.log.error({ error: errorMessage(error) }, "NATS status unreadable"),
  );
}
