import { UsageError, type Command, type CommandCall } from "../command.ts";
import { API_OPTION, JSON_OPTION, apiOf, sessionOf } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";

/** `tarsy steer SESSION note TEXT | conclude [TEXT] | skip` */
export const steerCommand: Command = {
  name: "steer",
  args: "SESSION note TEXT | conclude [TEXT] | skip",
  maxArgs: 3,
  summary: "Messages the agents of a running investigation, or asks them to conclude",
  details:
    "All agents that run read it before their next step, or those that start next; with --agent, only one. conclude asks for an answer from what is known; skip goes on without the tool calls that are running.",
  options: {
    agent: { value: "EXECUTION", help: "the ID of the agent to address (default: all)" },
    ...JSON_OPTION,
    ...API_OPTION,
  },
  run: async (call) => {
    const id = sessionOf(call);
    const { signal, terminal } = call;
    const agent = call.option("agent");
    const posted = await apiOf(call).call("POST /api/v1/sessions/:id/messages", {
      params: { id },
      body: { ...messageOf(call), ...(agent === undefined ? {} : { execution_id: agent }) },
      signal,
    });
    const { execution_ids } = posted;
    const readers =
      execution_ids === null
        ? "the agents that start next"
        : `${execution_ids.length} ${execution_ids.length === 1 ? "agent" : "agents"}`;
    terminal.write(call.flag("json") ? `${JSON.stringify(posted)}\n` : `sent to ${readers}\n`);
    return EXIT.done;
  },
};

function messageOf({ positionals }: CommandCall): {
  mode: "note" | "conclude" | "skip_tool";
  content?: string;
} {
  const [, mode, content] = positionals;
  if (mode === "skip") {
    if (content !== undefined) throw new UsageError("skip takes no TEXT");
    return { mode: "skip_tool" };
  }
  if (mode !== "note" && mode !== "conclude") {
    throw new UsageError(
      `say what to do: note TEXT, conclude or skip${mode === undefined ? "" : `, not "${mode}"`}`,
    );
  }
  if (mode === "note" && content === undefined) throw new UsageError("no TEXT given: what is the note?");
  return { mode, ...(content === undefined ? {} : { content }) };
}
