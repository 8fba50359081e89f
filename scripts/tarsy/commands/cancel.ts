import type { Command } from "../command.ts";
import { API_OPTION, JSON_OPTION, apiOf, sessionOf } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";

/** `tarsy cancel SESSION` */
export const cancelCommand: Command = {
  name: "cancel",
  args: "SESSION",
  maxArgs: 1,
  summary: "Cancels an investigation that has not ended",
  options: { ...JSON_OPTION, ...API_OPTION },
  run: async (call) => {
    const id = sessionOf(call);
    const { signal, terminal } = call;
    const answer = await apiOf(call).call("POST /api/v1/sessions/:id/cancel", { params: { id }, signal });
    terminal.write(call.flag("json") ? `${JSON.stringify(answer)}\n` : `${id} is being cancelled\n`);
    return EXIT.done;
  },
};
