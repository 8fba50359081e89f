import { until } from "../../../test/support/until.ts";
import type { McpServers } from "../mcp/mcp-servers.ts";

/** Waits until the server has listed its tools, so that the first call is not put off. */
export async function untilListed(servers: McpServers, server: string): Promise<void> {
  await until(`${server} has listed its tools`, async () => {
    const known = await servers.list([server]);
    return known.get(server)?.kind === "listed";
  });
}
