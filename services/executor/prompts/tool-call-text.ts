import type { TimelineEvent } from "#shared/database/entities/timeline-event.ts";

/** A tool call for a reader: the tool's name, as far as its row has it, then the arguments as the model wrote them. */
export function toolCallText({ content, metadata }: Pick<TimelineEvent, "content" | "metadata">): string {
  if (metadata === null || !("tool_name" in metadata)) return content;
  const { tool_name: tool } = metadata;
  if (typeof tool !== "string" || tool === "") return content;
  return content === "" ? tool : `${tool}\n${content}`;
}
