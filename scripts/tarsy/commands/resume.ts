import type { Command } from "../command.ts";
import { API_OPTION, JSON_OPTION, apiOf, sessionOf } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";

/** `tarsy resume SESSION` */
export const resumeCommand: Command = {
  name: "resume",
  args: "SESSION",
  maxArgs: 1,
  summary: "Resumes a parked investigation when a slot is free",
  options: { ...JSON_OPTION, ...API_OPTION },
  run: async (call) => {
    const id = sessionOf(call);
    const { signal, terminal } = call;
    const answer = await apiOf(call).call("POST /api/v1/sessions/:id/resume", { params: { id }, signal });
    const text = answer.status === "not_parked" ? "is not parked" : "resumes when a slot is free";
    terminal.write(call.flag("json") ? `${JSON.stringify(answer)}\n` : `${id} ${text}\n`);
    return EXIT.done;
  },
};
