import { TimelineEventEntity } from "#shared/database/entities/timeline-event.ts";
import type { ExecutionRun } from "../execution-run.ts";
import type { RequestedCall } from "../controllers/controller.ts";
import { commitStep } from "../persist/commit-step.ts";
import { openTimelineWriter, wholeRowId } from "../persist/timeline-writer.ts";
import { storableText } from "#shared/storable-text.ts";

/** Shows a tool call before it is made, unless a former owner has done so already. */
export async function announceToolCall(
  { session, execution, state }: ExecutionRun,
  call: RequestedCall,
  given: object,
): Promise<{ wasAnnounced: boolean }> {
  const { iteration } = state.iteration;
  const key = toolCallKey(call);
  const event_id = wholeRowId(execution, iteration, key);
  if (await session.db.manager.existsBy(TimelineEventEntity, { event_id })) return { wasAnnounced: true };
  const timeline = await openTimelineWriter(session, execution, iteration);
  await commitStep(session, async (manager) => ({
    events: [
      await timeline.add(manager, {
        key,
        type: "llm_tool_call",
        content: storableText(call.rawArguments).text,
        metadata: { ...toolNames(call.name), arguments: given },
        interactionId: null,
      }),
    ],
  }));
  return { wasAnnounced: false };
}

/** What names a call's timeline row within its iteration. */
export function toolCallKey({ index }: RequestedCall): string {
  return `call:${index}`;
}

/** Both halves of "server.tool". */
export function toolNames(name: string): { tool_name: string; server_name: string } {
  const dot = name.indexOf(".");
  return {
    tool_name: storableText(name.slice(dot + 1)).text,
    server_name: storableText(dot === -1 ? "" : name.slice(0, dot)).text,
  };
}
