import type { ToolListReply, ToolListRequest } from "#shared/contracts/tool-list.ts";
import type { ToolCatalogue } from "./tool.ts";

/** The tools of the servers asked for, server by server in the order of the question. */
export function listTools(tools: ToolCatalogue, { server_ids }: ToolListRequest): ToolListReply {
  const all = [...tools.values()].map(({ description }) => description);
  return {
    tools: [...new Set(server_ids)].flatMap((id) => all.filter(({ server }) => server === id)),
  };
}
