import type { ApiResponse } from "#shared/client/api-types.ts";
import { CodeText } from "../../parts/code-text.tsx";
import { FactList } from "../../parts/fact-list.tsx";
import { shownText } from "../../session/shown-text.ts";
import { RARE_TEXT } from "../rare-text.ts";

type LlmCall = ApiResponse<"GET /api/v1/sessions/:id/trace/llm/:interaction">;
type ConversationMessage = LlmCall["conversation"][number];

/** One model call: what was sent, what came back, and with which settings. */
export function LlmCallDetail({ call }: { readonly call: LlmCall }) {
  const { facts } = RARE_TEXT.trace;
  const count = (value: number | undefined) => value?.toLocaleString();
  return (
    <>
      <FactList
        rows={[
          [facts.model, call.model_name],
          [facts.input, count(call.input_tokens)],
          [facts.cached, count(call.cached_input_tokens)],
          [facts.output, count(call.output_tokens)],
          [facts.thinking, count(call.thinking_tokens)],
          [facts.price, call.price_source],
        ]}
      />
      {call.error_message !== undefined && (
        <>
          <h3>{RARE_TEXT.trace.error}</h3>
          <CodeText text={withCode(call.error_code, call.error_message)} label={RARE_TEXT.trace.error} />
        </>
      )}
      {call.thinking_content !== undefined && (
        <details class="part">
          <summary>
            {RARE_TEXT.trace.thinking} <Size text={call.thinking_content} />
          </summary>
          <CodeText text={call.thinking_content} label={RARE_TEXT.trace.thinking} />
        </details>
      )}
      <h3>
        {RARE_TEXT.trace.conversation}{" "}
        <span class="soft small">{RARE_TEXT.trace.messages(call.conversation.length)}</span>
      </h3>
      <ol class="messages">
        {call.conversation.map((message, index) => (
          <li key={index}>
            <MessageDetail message={message} isOpen={index === call.conversation.length - 1} />
          </li>
        ))}
      </ol>
      {call.tools.length > 0 && (
        <details class="part">
          <summary>{RARE_TEXT.trace.tools(call.tools.length)}</summary>
          <CodeText text={json(call.tools)} label={RARE_TEXT.trace.tools(call.tools.length)} />
        </details>
      )}
      {call.llm_provider !== undefined && (
        <details class="part">
          <summary>{RARE_TEXT.trace.provider}</summary>
          <CodeText text={json(call.llm_provider)} label={RARE_TEXT.trace.provider} />
        </details>
      )}
      <details class="part">
        <summary>{RARE_TEXT.trace.request}</summary>
        <CodeText
          text={json({ request: call.llm_request, response: call.llm_response })}
          label={RARE_TEXT.trace.request}
        />
      </details>
    </>
  );
}

function MessageDetail({
  message,
  isOpen,
}: {
  readonly message: ConversationMessage;
  readonly isOpen: boolean;
}) {
  const { role, content, tool_calls, tool_name } = message;
  const name = tool_name === undefined ? role : `${role}: ${tool_name}`;
  const text = tool_calls === undefined ? content : `${content}\n${json(tool_calls)}`.trim();
  return (
    <details class={`part message ${role}`} open={isOpen}>
      <summary>
        <strong>{shownText(name)}</strong> <Size text={text} />
        <span class="first-line soft small">{shownText(content.slice(0, 120))}</span>
      </summary>
      <CodeText text={text} label={name} />
    </details>
  );
}

function Size({ text }: { readonly text: string }) {
  return <span class="soft small numbers">{RARE_TEXT.trace.size(text.length.toLocaleString())}</span>;
}

function withCode(code: string | undefined, message: string): string {
  return code === undefined ? message : `${code}: ${message}`;
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}
