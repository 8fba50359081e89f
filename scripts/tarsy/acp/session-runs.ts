import type { NotifierMessage } from "#shared/client/follow-session.ts";
import { streamChunkCodec } from "#shared/contracts/stream-chunk.ts";
import { eventOfWire } from "#shared/contracts/wire-event.ts";
import type { AguiEvent } from "../../../services/api/agui/agui-event.ts";
import { AguiFold } from "../../../services/api/agui/agui-fold.ts";

/** How a session, or an answer about it, ended. */
export type RunEnd = Extract<AguiEvent, { type: "RUN_FINISHED" } | { type: "RUN_ERROR" }>;

/** A session as its events come over the WebSocket: itself, then one after another the answers about it. */
export class SessionRuns {
  readonly #sessionId: string;
  #fold: AguiFold;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
    this.#fold = this.#begin(undefined);
  }

  take(message: NotifierMessage): readonly AguiEvent[] {
    if (message["type"] === "stream.chunk") {
      const bytes = new TextEncoder().encode(JSON.stringify(message));
      return this.#fold.takeChunk(streamChunkCodec.decode(bytes));
    }
    if (typeof message["seq"] !== "number") return [];
    const event = eventOfWire(message);
    const { payload } = event;
    if (payload.type === "stage.started" && "stage_type" in payload && payload.stage_type === "chat") {
      this.#fold = this.#begin(payload.stage_id);
    }
    return this.#fold.take(event);
  }

  #begin(stageId: string | undefined): AguiFold {
    return new AguiFold({
      sessionId: this.#sessionId,
      threadId: this.#sessionId,
      runId: this.#sessionId,
      stageId,
    });
  }
}
