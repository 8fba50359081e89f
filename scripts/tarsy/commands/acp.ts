import type { Command } from "../command.ts";
import { API_OPTION, WS_OPTION, apiOf, notifierOf } from "../connection.ts";

/** `tarsy acp` */
export const acpCommand: Command = {
  name: "acp",
  args: "",
  maxArgs: 0,
  summary: "Serves investigations to an editor, by the Agent Client Protocol over standard input and output",
  details: `The editor starts it. The first prompt of a session is the alert; the next ones are notes while it runs and questions afterwards.
The editor asks its user before a tool call that needs it: that is decided with this program's credential.`,
  options: {
    type: { value: "TYPE", help: "the alert type of what is prompted (default: the configuration's)" },
    ...API_OPTION,
    ...WS_OPTION,
  },
  run: async (call) => {
    const api = apiOf(call);
    notifierOf(call);
    // Only this command needs the protocol's package, which takes a while to load.
    const { serveAcp } = await import("../acp/serve-acp.ts");
    return serveAcp(call, api);
  },
};
