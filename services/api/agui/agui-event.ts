/** What every AG-UI event may have. */
interface Base {
  /** Milliseconds since 1970. */
  readonly timestamp?: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** The agent that it comes from; absent for what the run itself says. */
  readonly subagentRunId?: string;
}

/** A question that ends a run until it is answered. */
export interface AguiInterrupt {
  readonly id: string;
  readonly reason: string;
  readonly message: string;
  readonly subagentRunId?: string;
  readonly expiresAt: string;
  readonly responseSchema: object;
  readonly metadata: Readonly<Record<string, unknown>>;
}

type Outcome =
  | { readonly type: "success" | "cancelled" }
  | { readonly type: "interrupt"; readonly interrupts: readonly AguiInterrupt[] };

type Fields =
  | { readonly type: "RUN_STARTED"; readonly threadId: string; readonly runId: string }
  | {
      readonly type: "RUN_FINISHED";
      readonly threadId: string;
      readonly runId: string;
      readonly outcome: Outcome;
      readonly result?: object;
    }
  | { readonly type: "RUN_ERROR"; readonly message: string; readonly code: string }
  | { readonly type: "MESSAGES_SNAPSHOT"; readonly messages: readonly object[] }
  | { readonly type: "STEP_STARTED" | "STEP_FINISHED"; readonly stepName: string }
  | {
      readonly type: "SUBAGENT_STARTED";
      readonly name: string;
      readonly parentSubagentRunId?: string;
    }
  | {
      readonly type: "SUBAGENT_FINISHED";
      readonly outcome:
        | { readonly type: "success" }
        | { readonly type: "suspended"; readonly interruptIds: readonly string[] };
    }
  | { readonly type: "SUBAGENT_ERROR"; readonly message: string; readonly code: string }
  | { readonly type: "REASONING_START" | "REASONING_END"; readonly messageId: string }
  | { readonly type: "REASONING_MESSAGE_START"; readonly messageId: string; readonly role: "reasoning" }
  | { readonly type: "TEXT_MESSAGE_START"; readonly messageId: string; readonly role: "assistant" }
  | { readonly type: "TEXT_MESSAGE_END" | "REASONING_MESSAGE_END"; readonly messageId: string }
  | {
      readonly type: "TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT";
      readonly messageId: string;
      readonly delta: string;
    }
  | { readonly type: "TOOL_CALL_START"; readonly toolCallId: string; readonly toolCallName: string }
  | { readonly type: "TOOL_CALL_ARGS"; readonly toolCallId: string; readonly delta: string }
  | { readonly type: "TOOL_CALL_END"; readonly toolCallId: string }
  | {
      readonly type: "TOOL_CALL_RESULT";
      readonly messageId: string;
      readonly toolCallId: string;
      readonly content: string;
      readonly role: "tool";
    }
  | {
      readonly type: "ACTIVITY_SNAPSHOT";
      readonly messageId: string;
      readonly activityType: string;
      readonly content: object;
      readonly replace: true;
    }
  | { readonly type: "CUSTOM"; readonly name: string; readonly value: unknown };

/** An event of the protocol AG-UI 1.0, as far as TARSy sends it. The tests hold each against the schemas of `@ag-ui/core`. */
export type AguiEvent = Fields & Base;
