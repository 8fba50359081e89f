import type { NumberedEvent } from "./session-message.ts";

/** The result of a tool call, by the record that has it. */
interface LastResult {
  readonly interactionId: string;
  /** "server.tool" */
  readonly tool: string;
  readonly content: string;
  /** The number of the event that brought it. */
  readonly seq: number;
}

type StoredOf<T extends NumberedEvent["type"]> = Extract<NumberedEvent, { type: T }>;

/** The newest result of a tool in the events up to `seq`; undefined if there is none whose record is known. */
export function lastResult(events: readonly NumberedEvent[], seq: number): LastResult | undefined {
  const result = events.findLast(
    (event): event is StoredOf<"timeline_event.created"> =>
      event.seq <= seq && event.type === "timeline_event.created" && event.event_type === "tool_result",
  );
  if (result === undefined) return undefined;
  const ofStep = events.filter(({ timestamp }) => timestamp === result.timestamp);
  // A step may record several results, each with its record, in the same order.
  const results = ofStep.filter(
    (event) =>
      event.type === "timeline_event.created" &&
      event.event_type === "tool_result" &&
      event.execution_id === result.execution_id,
  );
  const records = ofStep.filter(
    (event): event is StoredOf<"interaction.created"> =>
      event.type === "interaction.created" &&
      event.interaction_type === "mcp" &&
      event.execution_id === result.execution_id,
  );
  const record = records[results.indexOf(result)];
  if (record === undefined) return undefined;
  const names = new Map<string, unknown>(Object.entries(result.metadata ?? {}));
  const tool = [names.get("server_name"), names.get("tool_name")].filter((name) => typeof name === "string");
  return {
    interactionId: record.interaction_id,
    tool: tool.join("."),
    content: result.content,
    seq: result.seq,
  };
}
