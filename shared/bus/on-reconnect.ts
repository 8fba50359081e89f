import type { Bus } from "#shared/bus/open-bus.ts";
import { errorMessage } from "#shared/errors.ts";

/** Calls `handle` each time a lost connection is restored. Live messages sent during the outage are lost. */
export function onReconnect(bus: Bus, handle: () => void): void {
  const watch = async () => {
    for await (const { type } of bus.connection.status()) if (type === "reconnect") handle();
  };
  void watch().catch((error: unknown) =>
    bus.log.error({ error: errorMessage(error) }, "NATS status unreadable"),
  );
}
