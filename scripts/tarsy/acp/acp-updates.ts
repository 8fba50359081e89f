import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { AguiEvent } from "../../../services/api/agui/agui-event.ts";

/**
 * Turns the events of a session as AG-UI tells them into the updates of an ACP session: messages and thoughts as they grow, tool calls, and
 * the stages as a plan.
 */
export class AcpUpdates {
  readonly #names = new Map<string, string>();
  readonly #stages = new Map<string, "in_progress" | "completed">();
  #lastMessage = "";

  take(event: AguiEvent): readonly SessionUpdate[] {
    switch (event.type) {
      case "SUBAGENT_STARTED":
        this.#names.set(event.subagentRunId ?? "", event.name);
        return [];
      case "STEP_STARTED":
      case "STEP_FINISHED":
        this.#stages.set(event.stepName, event.type === "STEP_STARTED" ? "in_progress" : "completed");
        return [this.#plan()];
      case "REASONING_MESSAGE_CONTENT":
      case "TEXT_MESSAGE_CONTENT":
        return [this.#text(event)];
      case "TOOL_CALL_START": {
        const { toolCallId, toolCallName } = event;
        const title = [this.#nameOf(event), toolCallName].filter((part) => part !== "").join(": ");
        return [{ sessionUpdate: "tool_call", toolCallId, title, kind: "other", status: "in_progress" }];
      }
      case "TOOL_CALL_ARGS":
        return [
          { sessionUpdate: "tool_call_update", toolCallId: event.toolCallId, rawInput: decoded(event.delta) },
        ];
      case "TOOL_CALL_RESULT":
        return [
          {
            sessionUpdate: "tool_call_update",
            toolCallId: event.toolCallId,
            status: event.metadata?.["is_error"] === true ? "failed" : "completed",
            content: [{ type: "content", content: { type: "text", text: event.content } }],
          },
        ];
      default:
        return [];
    }
  }

  #text({
    type,
    messageId,
    delta,
    ...by
  }: Extract<AguiEvent, { type: "REASONING_MESSAGE_CONTENT" | "TEXT_MESSAGE_CONTENT" }>): SessionUpdate {
    // An editor shows the messages of all agents below each other.
    const isNew = messageId !== this.#lastMessage;
    const name = this.#nameOf(by);
    const begin = `${this.#lastMessage === "" ? "" : "\n\n"}${name === "" ? "" : `**${name}:** `}`;
    this.#lastMessage = messageId;
    return {
      sessionUpdate: type === "TEXT_MESSAGE_CONTENT" ? "agent_message_chunk" : "agent_thought_chunk",
      messageId,
      content: { type: "text", text: isNew ? `${begin}${delta}` : delta },
    };
  }

  #plan(): SessionUpdate {
    const entries = [...this.#stages].map(([content, status]) => ({
      content,
      status,
      priority: "medium" as const,
    }));
    return { sessionUpdate: "plan", entries };
  }

  #nameOf({ subagentRunId = "" }: { readonly subagentRunId?: string }): string {
    return this.#names.get(subagentRunId) ?? "";
  }
}

function decoded(json: string): unknown {
  try {
    const value: unknown = JSON.parse(json);
    return value;
  } catch {
    return json;
  }
}
