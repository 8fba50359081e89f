import { readFile } from "node:fs/promises";
import type { ApiRequest } from "#shared/client/api-types.ts";
import { TOOLS_MODES } from "#shared/contracts/recorded-tools.ts";
import { isUuid } from "#shared/contracts/uuid.ts";
import { UsageError, type Command, type CommandCall } from "../command.ts";
import { API_OPTION, JSON_OPTION, WS_OPTION, apiOf, notifierOf, sessionOf } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";
import { follow } from "../follow.ts";

type ForkSettings = NonNullable<ApiRequest<"POST /api/v1/sessions/:id/fork">["body"]>;
type Changes = NonNullable<ForkSettings["changes"]>;

/** `tarsy fork SESSION` */
export const forkCommand: Command = {
  name: "fork",
  args: "SESSION",
  maxArgs: 1,
  summary:
    "Investigates again from a step of a session, with another model, instruction, limit or tool result",
  details: `Without --at-seq the fork begins behind the last step before the session's end, where an agent that has answered does nothing more: with
other instructions use --at-seq 0. With recorded tools (the default) its agents get
the results that the session got; what it has not called is an error to them. Prints the id of the fork.`,
  options: {
    "at-seq": { value: "N", help: "the number of the last event before the fork" },
    provider: { value: "NAME", help: "use this configured LLM provider for all agents" },
    model: { value: "MODEL", help: "use this model for all agents" },
    instructions: { value: "TEXT|@FILE", help: "replace every agent's custom instructions" },
    "max-iterations": { value: "N", help: "use this iteration limit for all agents" },
    "tool-result": {
      value: "CALL=TEXT|@FILE",
      help: "replace the result of this tool call (its ID is in the trace)",
    },
    tools: {
      value: "MODE",
      help: "whether tools are replayed from the recording or called for real",
      choices: TOOLS_MODES,
    },
    key: {
      value: "KEY",
      help: "the Idempotency-Key: repeating the command with it creates the fork only once",
    },
    watch: { help: "shows the fork live to its end" },
    ...JSON_OPTION,
    ...API_OPTION,
    ...WS_OPTION,
  },
  run: async (call) => {
    const { option, flag, terminal, signal } = call;
    const id = sessionOf(call);
    const api = apiOf(call);
    if (flag("watch")) notifierOf(call);
    const tools = TOOLS_MODES.find((mode) => mode === option("tools"));
    const atSeq = wholeNumber(call, "at-seq");
    const key = option("key");
    const accepted = await api.call("POST /api/v1/sessions/:id/fork", {
      params: { id },
      body: {
        ...(atSeq === undefined ? {} : { at_seq: atSeq }),
        ...(tools === undefined ? {} : { tools }),
        changes: await changesOf(call),
      },
      ...(key === undefined ? {} : { headers: { "idempotency-key": key } }),
      signal,
    });
    if (!flag("watch")) {
      terminal.write(`${flag("json") ? JSON.stringify(accepted) : accepted.session_id}\n`);
      return EXIT.done;
    }
    return follow(call, { api, sessionId: accepted.session_id, mayAsk: terminal.isInteractive });
  },
};

async function changesOf(call: CommandCall): Promise<Changes> {
  const { option, signal } = call;
  const [provider, model, instructions, edited] = [
    option("provider"),
    option("model"),
    option("instructions"),
    option("tool-result"),
  ];
  const limit = wholeNumber(call, "max-iterations");
  return {
    ...(provider === undefined ? {} : { llm_provider: provider }),
    ...(model === undefined ? {} : { model }),
    ...(instructions === undefined
      ? {}
      : { custom_instructions: await textArgument("--instructions", instructions, signal) }),
    ...(limit === undefined ? {} : { max_iterations: limit }),
    ...(edited === undefined ? {} : { tool_result: await editedResult(edited, signal) }),
  };
}

async function editedResult(
  given: string,
  signal: AbortSignal,
): Promise<NonNullable<Changes["tool_result"]>> {
  const at = given.indexOf("=");
  const call = given.slice(0, Math.max(at, 0)).toLowerCase();
  if (!isUuid(call)) {
    throw new UsageError(
      `--tool-result is "${given.slice(0, 100)}": it must be the id of a call in the trace, then = and a text or @FILE`,
    );
  }
  return { interaction_id: call, content: await textArgument("--tool-result", given.slice(at + 1), signal) };
}

function wholeNumber({ option }: CommandCall, name: string): number | undefined {
  const given = option(name);
  if (given === undefined) return undefined;
  if (!/^\d{1,9}$/u.test(given)) throw new UsageError(`--${name} is "${given}": it must be a whole number`);
  return Number(given);
}

/** The text of an option: as it is given or, behind an @, the content of a file. Throws UsageError for a file that cannot be read. */
async function textArgument(option: string, given: string, signal: AbortSignal): Promise<string> {
  if (!given.startsWith("@")) return given;
  const file = given.slice(1);
  try {
    return await readFile(file, { encoding: "utf8", signal });
  } catch (error) {
    signal.throwIfAborted();
    throw new UsageError(
      `${option} names the file "${file}", which cannot be read: give @FILE of a readable file, or the text`,
      {
        cause: error,
      },
    );
  }
}
