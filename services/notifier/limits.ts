/** Bounds on what one client, or all clients together, can make the notifier buffer or do. */
export interface NotifierLimits {
  readonly maxConnections: number;
  /** Channels per connection. */
  readonly maxSubscriptions: number;
  /** Size of one client message; a larger one closes the connection with 1009. */
  readonly maxMessageBytes: number;
  /** Sustained rate of client messages and pings; a higher rate closes the connection with 1008. */
  readonly messagesPerSecond: number;
  /** Messages and pings accepted immediately before the rate applies. */
  readonly messageBurst: number;
  /** Time for the request headers of the handshake. */
  readonly handshakeTimeoutMs: number;
  /** A peer is disconnected when it has been silent for one to two intervals. */
  readonly heartbeatMs: number;
  /** A client with more unsent bytes gets no chunks until it has read on. */
  readonly chunkBufferBytes: number;
  /** A client with more unsent bytes is closed with 4008. */
  readonly eventBufferBytes: number;
  /** Unsent bytes of all clients together; above it the clients with the most are closed with 4008. */
  readonly totalBufferBytes: number;
  /** The time that a client may take to drain a full chunk buffer of history before it is closed with 4008. */
  readonly drainTimeoutMs: number;
  /**
   * The time for which one client that reads slowly delays the others of its session while events are read from Postgres, once until it
   * has read on. Then it gets them as fast as they are read, which soon exceeds its buffer.
   */
  readonly slowReaderMs: number;
  /** The time for which a peer has to answer a close frame before its socket is destroyed. */
  readonly closeGraceMs: number;
  /** The same for a client that exceeded the message rate, because it goes on writing in the meantime. */
  readonly floodGraceMs: number;
  /** Reads from Postgres at the same time, for all clients. */
  readonly concurrentReads: number;
  /** Reads that may wait for their turn; above it subscriptions are answered with an error. */
  readonly waitingReads: number;
  /** The newest events of a watched session that are kept in memory, by number and by bytes. */
  readonly recentEvents: number;
  readonly recentBytes: number;
  /** Events of all sessions in memory. */
  readonly keptBytes: number;
}

export const DEFAULT_LIMITS: NotifierLimits = {
  maxConnections: 10_000,
  maxSubscriptions: 50,
  maxMessageBytes: 16 * 1024,
  messagesPerSecond: 20,
  messageBurst: 60,
  handshakeTimeoutMs: 10_000,
  heartbeatMs: 20_000,
  chunkBufferBytes: 128 * 1024,
  eventBufferBytes: 1024 * 1024,
  totalBufferBytes: 256 * 1024 * 1024,
  drainTimeoutMs: 30_000,
  slowReaderMs: 200,
  closeGraceMs: 15_000,
  floodGraceMs: 1_000,
  concurrentReads: 6,
  waitingReads: 10_000,
  recentEvents: 500,
  recentBytes: 1024 * 1024,
  keptBytes: 64 * 1024 * 1024,
};
