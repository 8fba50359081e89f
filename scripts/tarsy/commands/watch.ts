import type { Command } from "../command.ts";
import { API_OPTION, JSON_OPTION, WS_OPTION, apiOf, sessionOf } from "../connection.ts";
import { follow } from "../follow.ts";

/** `tarsy watch SESSION` */
export const watchCommand: Command = {
  name: "watch",
  args: "SESSION",
  maxArgs: 1,
  summary: "Shows an investigation from its beginning, and live to its end",
  details: "Ctrl-C leaves the investigation running. With --json each event is a line of JSON.",
  options: { ...JSON_OPTION, ...API_OPTION, ...WS_OPTION },
  run: async (call) => {
    const sessionId = sessionOf(call);
    return follow(call, { api: apiOf(call), sessionId, mayAsk: call.terminal.isInteractive });
  },
};
