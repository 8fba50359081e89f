import type { ConnectionOptions, JetStreamClient, JetStreamManager, NatsConnection } from "nats";
import { dialNats } from "#shared/bus/dial-nats.ts";
import { RetryableError, errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import { untilAborted } from "#shared/until-aborted.ts";

/** One connection from its dial to its loss, with its JetStream clients. It is never restored, only replaced. */
export interface NatsLink {
  /** `host:port` of the server. */
  readonly server: string;
  readonly connection: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  /** Aborts when the connection is lost or closed. */
  readonly lost: AbortSignal;
  /** Round trip to the server; rejects once the connection is lost. */
  flush(): Promise<void>;
}

/** Dials one server and resolves once it answered. Rejects, and leaves no socket behind, if it does not. */
export async function openNatsLink(
  options: ConnectionOptions,
  log: Logger,
  signal: AbortSignal,
): Promise<NatsLink> {
  const connection = await dialNats(options, signal);
  try {
    // Start-up without checkAPI does not depend on JetStream; its calls fail by themselves while it is unavailable.
    const jsm = await connection.jetstreamManager({ checkAPI: false });
    const lost = new AbortController();
    void connection
      .closed()
      .then((cause) => lost.abort(cause ?? new Error("the connection to NATS is closed")));
    void watch(connection, log).catch((error: unknown) =>
      log.error({ error: errorMessage(error) }, "NATS status unreadable"),
    );
    return {
      server: connection.getServer(),
      connection,
      js: connection.jetstream(),
      jsm,
      lost: lost.signal,
      // The client's flush never settles if the connection closes before the answer.
      flush: async () =>
        untilAborted(connection.flush(), lost.signal).catch((error: unknown) => {
          const why = `the connection to NATS was lost (${errorMessage(error)})`;
          throw new RetryableError("not_connected", why, { cause: error });
        }),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function watch(connection: NatsConnection, log: Logger): Promise<void> {
  for await (const { type, data } of connection.status()) {
    // The client waits until unsent bytes are written before it closes a silent connection; to a frozen server they
    // never are.
    if (type === "staleConnection") await connection.close();
    // Usually a permission error: the server reports it once, and the message is lost.
    if (type === "error") log.error({ error: data }, "NATS refused something");
  }
}
