/** Everything that bounds what one client, or all of them, can make the notifier hold or do. */
export interface NotifierLimits {
  readonly maxConnections: number;
  /** Channels per connection. */
  readonly maxSubscriptions: number;
  /** One client message, in bytes; a larger one closes the connection with 1009. */
  readonly maxMessageBytes: number;
  /** Client messages and pings per second that are sustained; more close the connection with 1008. */
  readonly messagesPerSecond: number;
  /** How many may come at once before the rate counts. */
  readonly messageBurst: number;
  /** For the request headers of the handshake. */
  readonly handshakeTimeoutMs: number;
  /** A peer that is silent for one to two of these is dead. */
  readonly heartbeatMs: number;
  /** With more unsent bytes than this a client gets no chunks until it has read on. */
  readonly chunkBufferBytes: number;
  /** With more unsent bytes than this a client is closed with 4008. */
  readonly eventBufferBytes: number;
  /** With more unsent bytes than this over all clients, those with the most are closed with 4008. */
  readonly totalBufferBytes: number;
  /** How long a client may take to read 128 KiB of its history before it is closed with 4008. */
  readonly drainTimeoutMs: number;
  /** How long a peer has to answer our close before its socket is destroyed. */
  readonly closeGraceMs: number;
  /** The same for one that floods us: it goes on writing meanwhile. */
  readonly floodGraceMs: number;
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
  closeGraceMs: 15_000,
  floodGraceMs: 1_000,
};
