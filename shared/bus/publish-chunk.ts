import type { Bus } from "#shared/bus/open-bus.ts";
import { streamChunkCodec, type StreamChunk } from "#shared/contracts/stream-chunk.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";

/**
 * Publishes a chunk without waiting for a confirmation, after everything sent on this connection before. Does
 * nothing while disconnected: the chunk is lost.
 */
export function publishChunk(bus: Bus, chunk: StreamChunk): void {
  if (bus.connection.isClosed()) return;
  bus.connection.publish(SUBJECTS.chunks(chunk.session_id), streamChunkCodec.encode(chunk));
}
