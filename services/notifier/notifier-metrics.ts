import { Counter, Gauge, type Registry } from "prom-client";
import { startAtZero } from "#shared/service/start-at-zero.ts";
import { READ_KINDS } from "./feed/read-kinds.ts";
import { CLOSE_CODES } from "./outbox/close-codes.ts";
import { REJECTION_STATUSES } from "./websocket/check-handshake.ts";

export type NotifierMetrics = ReturnType<typeof notifierMetrics>;

const SNAPSHOT_OUTCOMES = ["answered", "not_streaming", "no_responders", "request_timeout", "error"];

/** Creates the notifier's metrics and registers them in `registry`. */
export function notifierMetrics(registry: Registry) {
  const registers = [registry];
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  const labelled = (name: string, help: string, label: string, values: readonly string[]) => {
    const created = new Counter({ name, help, labelNames: [label], registers });
    startAtZero(created, { [label]: values });
    return created;
  };
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  /** A gauge that is read when the metrics are; call the result once. */
  const measured = (name: string, help: string) => (read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  return {
    connections: gauge("tarsy_ws_connections", "Open WebSocket connections"),
    bufferedBytes: gauge("tarsy_ws_buffered_bytes", "Unsent bytes of all connections, updated every second"),
    subscriptions: gauge("tarsy_ws_subscriptions", "Channel subscriptions of all clients"),
    feeds: gauge("tarsy_ws_session_feeds", "Sessions watched by at least one client"),
    refused: labelled(
      "tarsy_ws_refused_total",
      "Handshakes refused, by reason",
      "reason",
      REJECTION_STATUSES.map(String),
    ),
    closed: labelled(
      "tarsy_ws_closed_total",
      "Connections closed by us, by close code",
      "code",
      Object.values(CLOSE_CODES).map(String),
    ),
    clientErrors: counter("tarsy_ws_client_errors_total", "Error messages sent to clients"),
    eventsSent: counter("tarsy_ws_events_sent_total", "Stored events sent, counted per client"),
    chunksReceived: counter("tarsy_ws_chunks_received_total", "Chunks received from the bus"),
    chunksSent: counter("tarsy_ws_chunks_sent_total", "Chunks sent, counted per client"),
    chunksHeldBack: counter(
      "tarsy_ws_chunks_held_back_total",
      "Chunks not sent to a client that lags behind",
    ),
    eventsFilled: counter("tarsy_ws_events_filled_total", "Events read from Postgres to fill a gap"),
    databaseReads: labelled(
      "tarsy_ws_database_reads_total",
      "Reads from Postgres, by what is read",
      "read",
      READ_KINDS,
    ),
    databaseReadsFailed: counter(
      "tarsy_ws_database_reads_failed_total",
      "Reads that failed because Postgres was unavailable; they are repeated",
    ),
    waitingReads: measured("tarsy_ws_database_reads_waiting", "Reads that wait for their turn"),
    keptBytes: measured("tarsy_ws_kept_bytes", "Stored events in memory for clients that catch up"),
    bufferedText: measured("tarsy_ws_held_text_chars", "Buffered text of open events, in UTF-16 code units"),
    snapshots: labelled(
      "tarsy_ws_snapshots_total",
      "Snapshot requests for the text of an open event",
      "outcome",
      SNAPSHOT_OUTCOMES,
    ),
  };
}
