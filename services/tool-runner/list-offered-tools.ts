import {
  MAX_LISTING_BYTES,
  type ToolDescription,
  type ToolListReply,
  type ToolListRequest,
} from "#shared/contracts/tool-list.ts";
import { describeTool } from "./mcp/list-tools.ts";
import type { CallDeps } from "./answer-call.ts";
import { hasStubs } from "./tool.ts";

/** The time that Postgres may take to store which servers must learn of an execution's end. */
const REMEMBER_MS = 1_000;

type ListingDeps = Pick<CallDeps, "tools" | "servers" | "unavailable" | "cleanups">;

/**
 * Lists the tools of these servers, server by server in the order given: the stubs of a server if it has any, else those
 * of the configured MCP server. Tools that do not fit into one message are left out.
 */
export async function listOfferedTools(
  { tools: stubs, servers, unavailable, cleanups }: ListingDeps,
  { server_ids, execution_id, session_id }: ToolListRequest,
): Promise<ToolListReply> {
  const ids = [...new Set(server_ids)];
  const real = ids.filter((id) => !hasStubs(stubs, id));
  // The state that a server keeps for an execution begins with its listing.
  const named = real.filter((id) => servers?.find(id)?.namesExecution === true);
  const limit = AbortSignal.timeout(REMEMBER_MS);
  await Promise.all(named.map(async (id) => cleanups?.remember(id, { execution_id, session_id }, limit)));
  const known = await servers?.list(real, { executionId: execution_id });
  const all = [...stubs.values()].map(({ description }) => description);
  const failed: { server: string; code: string; message: string }[] = [];
  const stale: string[] = [];
  const leftOut: { server: string; message: string }[] = [];
  const offered = ids.flatMap((id) => {
    const listed = known?.get(id);
    const problem = hasStubs(stubs, id) ? undefined : unavailable?.get(id);
    if (problem !== undefined) failed.push({ server: id, code: "misconfigured", message: problem });
    if (listed === undefined) return all.filter(({ server }) => server === id);
    if (listed.kind === "failed") {
      failed.push({ server: id, code: listed.code, message: listed.message });
      return [];
    }
    if (listed.isStale) stale.push(id);
    if (listed.leftOut !== "") leftOut.push({ server: id, message: listed.leftOut });
    return listed.tools.map((tool) => describeTool(id, tool));
  });
  return {
    tools: firstThatFit(offered),
    ...(failed.length === 0 ? {} : { failed }),
    ...(stale.length === 0 ? {} : { stale }),
    ...(leftOut.length === 0 ? {} : { left_out: leftOut }),
  };
}

function firstThatFit(tools: readonly ToolDescription[]): ToolDescription[] {
  let bytes = 0;
  return tools.filter((tool) => {
    bytes += Buffer.byteLength(JSON.stringify(tool)) + 1;
    return bytes <= MAX_LISTING_BYTES;
  });
}
