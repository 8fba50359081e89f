import { UsageError, type Command } from "../command.ts";
import { API_OPTION, JSON_OPTION, apiOf } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";

/** `tarsy connect SERVER` */
export const connectCommand: Command = {
  name: "connect",
  args: "SERVER",
  maxArgs: 1,
  summary: "Connects an MCP server that needs a person's authorization (auth type oauth)",
  options: { ...JSON_OPTION, ...API_OPTION },
  run: async (call) => {
    const { positionals, signal, terminal } = call;
    const [server] = positionals;
    if (server === undefined) throw new UsageError("no SERVER given: name one of mcp_servers in tarsy.yaml");
    const answer = await apiOf(call).call("POST /api/v1/system/mcp-servers/:server/connect", {
      params: { server },
      signal,
    });
    const minutes = answer.expires_in_seconds / 60;
    const text = `Open this address within ${minutes} minutes, and agree there:\n${answer.authorization_url}\n`;
    terminal.write(call.flag("json") ? `${JSON.stringify(answer)}\n` : text);
    return EXIT.done;
  },
};
