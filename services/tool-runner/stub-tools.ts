import type { ToolCallReply, ToolCallRequest } from "#shared/contracts/tool-call.ts";
import type { ToolListReply, ToolListRequest } from "#shared/contracts/tool-list.ts";

/** Until tools are connected every server is empty. */
export function listStubTools(_request: ToolListRequest): ToolListReply {
  return { tools: [] };
}

/** Until tools are connected a call is answered with what it would have been. */
export function callStubTool({ call_id, name, arguments: given }: ToolCallRequest): ToolCallReply {
  const content = `[stub] Tool "${name}" called with args: ${given}`;
  return { call_id, content, is_error: false };
}
