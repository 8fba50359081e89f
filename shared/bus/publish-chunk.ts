import type { Bus } from "#shared/bus/open-bus.ts";
import { streamChunkCodec, type StreamChunk } from "#shared/contracts/stream-chunk.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";

/**
 * Publishes a chunk without waiting for a confirmation, after everything sent on this connection before. A chunk
 * published while disconnected is lost: the client buffers it and clears the buffer when it reconnects. Does nothing
 * on a closed connection.
 */
export function publishChunk(bus: Bus, chunk: StreamChunk): void {
  if (bus.connection.isClosed()) return;
  bus.connection.publish(SUBJECTS.chunks(chunk.session_id), streamChunkCodec.encode(chunk));
}
