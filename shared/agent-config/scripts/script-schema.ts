import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { LLM_ERROR_CODES } from "#shared/contracts/llm-error-codes.ts";

const closed = { additionalProperties: false };
const optionalText = Type.Optional(Type.String());
const optionalCount = Type.Optional(Type.Integer({ minimum: 0, maximum: 2_000_000_000 }));
/** The form is that of Go: "200ms", "1.5s". */
const optionalDuration = Type.Optional(Type.String({ minLength: 1, maxLength: 32 }));

const Grounding = Type.Object(
  {
    web_search_queries: Type.Optional(Type.Array(Type.String())),
    grounding_chunks: Type.Optional(
      Type.Array(Type.Object({ uri: Type.String(), title: optionalText }, closed)),
    ),
    grounding_supports: Type.Optional(
      Type.Array(
        Type.Object(
          {
            start_index: optionalCount,
            end_index: optionalCount,
            text: optionalText,
            grounding_chunk_indices: Type.Optional(Type.Array(Type.Integer({ minimum: 0 }))),
          },
          closed,
        ),
      ),
    ),
    search_entry_point_html: optionalText,
  },
  closed,
);

/** The actions of a step; each step has exactly one of these keys. */
const actions = {
  thinking: optionalText,
  text: optionalText,
  tool_call: Type.Optional(
    Type.Object(
      {
        id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
        name: Type.String({ minLength: 1, maxLength: 200 }),
        arguments: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      },
      closed,
    ),
  ),
  code_execution: Type.Optional(Type.Object({ code: optionalText, result: optionalText }, closed)),
  grounding: Type.Optional(Grounding),
  provider_state: optionalText,
  usage: Type.Optional(
    Type.Object(
      {
        input_tokens: optionalCount,
        output_tokens: optionalCount,
        thinking_tokens: optionalCount,
        cached_input_tokens: optionalCount,
        cache_write_tokens: optionalCount,
      },
      closed,
    ),
  ),
  delay: optionalDuration,
  error: Type.Optional(
    Type.Object(
      {
        code: Type.Enum(LLM_ERROR_CODES),
        message: optionalText,
        retryable: Type.Optional(Type.Boolean()),
        /** The delay that the provider asks for; before any output the gateway retries after it. */
        retry_after: optionalDuration,
        /** False to end the call at once, with the delay for its caller. */
        retried: Type.Optional(Type.Literal(false)),
        /** The number of characters of the text or the thinking are worth keeping; for `output_loop`. */
        keep_text: Type.Optional(Type.Integer({ minimum: 0 })),
        keep_thinking: Type.Optional(Type.Integer({ minimum: 0 })),
      },
      closed,
    ),
  ),
  hang: Type.Optional(Type.Literal(true)),
  stall: Type.Optional(Type.Literal(true)),
  reset: Type.Optional(Type.Literal(true)),
  garbage: Type.Optional(Type.Literal(true)),
};
export const STEP_ACTIONS: readonly string[] = Object.keys(actions);

/**
 * One step. "Exactly one action" is checked by the parser, because a union of all actions would report one typing error
 * once per action.
 */
const ScriptStep = Type.Object(
  {
    ...actions,
    /** Code points per delta; without it the text is one delta. */
    chunk_size: Type.Optional(Type.Integer({ minimum: 1 })),
    /** The pause before each delta except the first. */
    chunk_delay: optionalDuration,
    /** The number of times that the step is played. */
    repeat: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  },
  closed,
);
export type ScriptStep = Static<typeof ScriptStep>;

const Text = Type.String({ minLength: 1 });
const ScriptCondition = Type.Object(
  {
    /** 1 for a conversation without assistant messages, 2 with one, and so on. */
    call: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Occurs in any message, case-sensitive; each of several texts does, not necessarily in the same one. */
    contains: Type.Optional(Type.Union([Text, Type.Array(Text, { minItems: 1 })])),
    /** Occurs in the last message. */
    last_contains: Type.Optional(Type.String({ minLength: 1 })),
    /** The name of the agent whose conversation this is. */
    agent: Type.Optional(Type.String({ minLength: 1 })),
    /** A regular expression that matches the alert, ignoring case. */
    alert_matches: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 })),
    /** 1 for the gateway's first try of the call, 2 after an error with `retry_after`, and so on. */
    attempt: Type.Optional(Type.Integer({ minimum: 1 })),
    /** True if tools are bound to the call. */
    tools: Type.Optional(Type.Boolean()),
    /** Equals the provider state of the last assistant message, as text; "" means none. */
    provider_state: optionalText,
  },
  closed,
);
export type ScriptCondition = Static<typeof ScriptCondition>;

export const Script = Type.Object(
  {
    calls: Type.Array(
      Type.Object({ when: Type.Optional(ScriptCondition), steps: Type.Array(ScriptStep) }, closed),
      { minItems: 1 },
    ),
  },
  closed,
);
export type Script = Static<typeof Script>;
