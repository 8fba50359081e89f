import type { ApiResponse } from "#shared/client/api-types.ts";
import { CodeText } from "../../parts/code-text.tsx";
import { FactList } from "../../parts/fact-list.tsx";
import { RARE_TEXT } from "../rare-text.ts";
import { resultText } from "./result-text.ts";

type McpCall = ApiResponse<"GET /api/v1/sessions/:id/trace/mcp/:interaction">;

/** One tool call with its arguments and its result, or one listing of tools. */
export function McpCallDetail({ call }: { readonly call: McpCall }) {
  const { facts } = RARE_TEXT.trace;
  const result = resultText(call.tool_result);
  return (
    <>
      <FactList
        rows={[
          [facts.server, call.server_name],
          [facts.tool, call.tool_name],
        ]}
      />
      {call.error_message !== undefined && (
        <>
          <h3>{RARE_TEXT.trace.error}</h3>
          <CodeText text={call.error_message} label={RARE_TEXT.trace.error} />
        </>
      )}
      {call.tool_arguments !== undefined && (
        <>
          <h3>{RARE_TEXT.trace.arguments}</h3>
          <CodeText
            text={JSON.stringify(call.tool_arguments, undefined, 2)}
            label={RARE_TEXT.trace.arguments}
          />
        </>
      )}
      {result !== undefined && (
        <>
          <h3>{RARE_TEXT.trace.result}</h3>
          <CodeText text={result} label={RARE_TEXT.trace.result} />
        </>
      )}
      {call.available_tools !== undefined && (
        <>
          <h3>{RARE_TEXT.trace.listed(call.available_tools.length)}</h3>
          <CodeText
            text={JSON.stringify(call.available_tools, undefined, 2)}
            label={RARE_TEXT.trace.listed(call.available_tools.length)}
          />
        </>
      )}
    </>
  );
}
