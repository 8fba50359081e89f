import type { Command } from "../command.ts";
import { API_OPTION, JSON_OPTION, apiOf, sessionOf } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";

/** `tarsy park SESSION` */
export const parkCommand: Command = {
  name: "park",
  args: "SESSION",
  maxArgs: 1,
  summary: "Parks an investigation until it is resumed",
  details:
    "It stops after its current step, keeps its work, and frees its slot. After seven days it resumes automatically.",
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
    const text = answer.status === "parked" ? "is parked" : "will be parked after its current step";
    terminal.write(call.flag("json") ? `${JSON.stringify(answer)}\n` : `${id} ${text}\n`);
    return EXIT.done;
  },
};
