import type { Bus } from "#shared/bus/open-bus.ts";
import { streamChunkCodec, type StreamChunk } from "#shared/contracts/stream-chunk.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { liveProgressCodec, type LiveProgress } from "#shared/contracts/live-progress.ts";
import {
  toolCallCancelCodec,
  type ToolCallCancel,
  toolReleaseCodec,
  type ToolRelease,
  toolCallProgressCodec,
  type ToolCallProgress,
} from "#shared/contracts/tool-call.ts";
import { errorMessage } from "#shared/errors.ts";

/**
 * Publishes a chunk without waiting for a confirmation, after everything sent on this connection before. Does
 * nothing while disconnected: the chunk is lost. `unheard` is called if no notifier follows the session, before a flush that
 * begins now resolves.
 */
export function publishChunk(bus: Bus, chunk: StreamChunk, unheard?: () => void): void {
  publishLive(bus, SUBJECTS.chunks(chunk.session_id), streamChunkCodec.encode(chunk), unheard);
}

function publishLive(bus: Bus, subject: string, bytes: Uint8Array, unheard?: () => void): void {
  if (bus.connection.isClosed()) return;
  if (unheard === undefined) bus.connection.publish(subject, bytes);
  else bus.publishAndLook(subject, bytes, unheard);
}

/**
 * Publishes to the session's watchers what a tool call has reached or an agent begins to do, in the order of chunks and
 * events. Does nothing while disconnected. `unheard` as for a chunk.
 */
export function publishLiveProgress(bus: Bus, progress: LiveProgress, unheard?: () => void): void {
  publishLive(bus, SUBJECTS.progress(progress.session_id), liveProgressCodec.encode(progress), unheard);
}

/** Asks the call's tool-runner to end it. Best effort, never throws: the runner also enforces the call's deadline. */
export function cancelToolCall(bus: Bus, cancel: ToolCallCancel): void {
  try {
    bus.connection.publish(SUBJECTS.toolCancel(cancel.call_id), toolCallCancelCodec.encode(cancel));
  } catch (error) {
    bus.log.warn({ call_id: cancel.call_id, error: errorMessage(error) }, "tool call not cancelled");
  }
}

/** Notifies the tool-runners that an execution has ended. Best effort, never throws: they also notice that it makes no calls. */
export function releaseTools(bus: Bus, release: ToolRelease): void {
  try {
    bus.connection.publish(SUBJECTS.toolsRelease, toolReleaseCodec.encode(release));
  } catch (error) {
    bus.log.warn({ execution_id: release.execution_id, error: errorMessage(error) }, "tools not released");
  }
}

/** Publishes the progress of a call of an execution. Does nothing while disconnected: the next one says more. */
export function publishProgress(bus: Bus, executionId: string, progress: ToolCallProgress): void {
  if (bus.connection.isClosed()) return;
  bus.connection.publish(SUBJECTS.toolProgress(executionId), toolCallProgressCodec.encode(progress));
}
