import { attemptId } from "#shared/contracts/tool-call.ts";
import { claimToolCall } from "#shared/database/claim-tool-call.ts";
import type { ClaimedToolCall } from "#shared/database/read-tool-call.ts";
import { cancelledByUser, leaseLost } from "#shared/errors.ts";
import type { OwnedSession } from "../core/owned-session.ts";
import { MAX_TOOL_ATTEMPTS } from "./call-tool.ts";

/** A call of the conversation without a committed outcome. */
interface OpenToolCall {
  /** As given to `callTool`. */
  readonly callId: string;
  readonly executionId: string;
  /** "server.tool" */
  readonly name: string;
}

/**
 * Abandons every open call that no earlier owner has started, so that a request of theirs that is still in flight starts
 * nothing. The new owner of a session does this before it makes any call. Returns the ids that are free for a new
 * attempt; for the others `callTool` gets the recorded outcome. Throws CancelledError if the session is no longer owned.
 */
export async function abandonOpenCalls(
  { db, sessionId, epoch }: Pick<OwnedSession, "db" | "sessionId" | "epoch">,
  open: readonly OpenToolCall[],
): Promise<string[]> {
  const free: string[] = [];
  for (const { callId, executionId, name } of open) {
    for (let attempt = 1; attempt <= MAX_TOOL_ATTEMPTS; attempt += 1) {
      const id = attemptId(callId, attempt);
      const call = { callId: id, sessionId, executionId, epoch, name, readOnly: false };
      const claim = await claimToolCall(db, call, "abandoned");
      if (claim.kind === "claimed") free.push(callId);
      if (claim.kind === "refused") {
        throw claim.reason === "session_cancelled" ? cancelledByUser() : leaseLost();
      }
      if (claim.kind === "claimed" || !isFollowed(claim.call.progress)) break;
    }
  }
  return free;
}

/** True for an attempt after which `callTool` makes another, which may have run too. */
function isFollowed(progress: ClaimedToolCall["progress"]): boolean {
  return (
    progress.kind === "abandoned" || (progress.kind === "over" && progress.outcome.kind === "interrupted")
  );
}
