import type { Bus } from "#shared/bus/open-bus.ts";
import { streamChunkCodec, type StreamChunk } from "#shared/contracts/stream-chunk.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";

/** Sends a chunk, fire and forget, behind whatever this connection sent before. Does nothing while disconnected. */
export function publishChunk(bus: Bus, chunk: StreamChunk): void {
  if (bus.connection.isClosed()) return;
  bus.connection.publish(SUBJECTS.chunks(chunk.session_id), streamChunkCodec.encode(chunk));
}
