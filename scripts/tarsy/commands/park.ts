import type { Command } from "../command.ts";
import { API_OPTION, JSON_OPTION, apiOf, sessionOf } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";

/** `tarsy park SESSION` */
export const parkCommand: Command = {
  name: "park",
  args: "SESSION",
  maxArgs: 1,
  summary: "Has an investigation give its place up until it is resumed",
  details: "It stops after its running step and loses nothing. After seven days it goes on by itself.",
  options: { reason: { value: "TEXT", help: "why, for people" }, ...JSON_OPTION, ...API_OPTION },
  run: async (call) => {
    const id = sessionOf(call);
    const { option, signal, terminal } = call;
    const reason = option("reason");
    const answer = await apiOf(call).call("POST /api/v1/sessions/:id/park", {
      params: { id },
      body: reason === undefined ? {} : { reason },
      signal,
    });
    const text = answer.status === "parked" ? "is parked" : "is parked once its running step is over";
    terminal.write(call.flag("json") ? `${JSON.stringify(answer)}\n` : `${id} ${text}\n`);
    return EXIT.done;
  },
};
