import { isUuid } from "#shared/contracts/uuid.ts";
import { printable } from "../terminal/terminal-style.ts";
import { UsageError, type Command, type CommandCall } from "../command.ts";
import { API_OPTION, JSON_OPTION, apiOf, sessionOf } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";

/** `tarsy approve SESSION [APPROVAL]` */
export const approveCommand: Command = {
  name: "approve",
  args: "SESSION [APPROVAL]",
  maxArgs: 2,
  summary: "Lists pending approvals of a session, or decides one",
  details:
    "Without APPROVAL the pending ones are listed; with it, the call is approved, or denied with --deny.",
  options: {
    deny: { help: "denies the call" },
    reason: { value: "TEXT", help: "why, for the agent; at most 2,000 characters" },
    ...JSON_OPTION,
    ...API_OPTION,
  },
  run: async (call) => {
    const id = sessionOf(call);
    const [, approval] = call.positionals;
    if (approval === undefined) return showOpen(call, id);
    if (!isUuid(approval)) throw new UsageError(`"${approval}" is not the id of a question`);
    const { terminal, signal } = call;
    const reason = call.option("reason");
    const decided = await apiOf(call).call("POST /api/v1/sessions/:id/approvals/:approval", {
      params: { id, approval },
      body: {
        decision: call.flag("deny") ? "deny" : "approve",
        ...(reason === undefined ? {} : { reason }),
      },
      signal,
    });
    const { tool, state } = decided;
    terminal.write(call.flag("json") ? `${JSON.stringify(decided)}\n` : `${printable(tool)} is ${state}\n`);
    return EXIT.done;
  },
};

async function showOpen(call: CommandCall, id: string): Promise<number> {
  if (call.flag("deny") || call.option("reason") !== undefined) {
    throw new UsageError("no APPROVAL given: name the id of a question");
  }
  const { terminal, signal } = call;
  const { style } = terminal;
  const { approvals } = await apiOf(call).call("GET /api/v1/sessions/:id/approvals", {
    params: { id },
    signal,
  });
  const open = approvals.filter(({ state }) => state === "awaiting_approval");
  if (call.flag("json")) {
    terminal.write(`${JSON.stringify(open)}\n`);
    return EXIT.done;
  }
  if (open.length === 0) terminal.write("no pending approvals\n");
  for (const { approval_id, tool, arguments: text, expires_at } of open) {
    terminal.write(
      `${style.bold(`${approval_id}  ${printable(tool)}`)}  until ${expires_at}\n${printable(text)}\n`,
    );
  }
  return EXIT.done;
}
