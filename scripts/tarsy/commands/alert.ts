import { readFile } from "node:fs/promises";
import { addAbortSignal } from "node:stream";
import { text } from "node:stream/consumers";
import { UsageError, type Command } from "../command.ts";
import { API_OPTION, JSON_OPTION, WS_OPTION, apiOf, notifierOf } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";
import { follow } from "../follow.ts";

/** `tarsy alert FILE` */
export const alertCommand: Command = {
  name: "alert",
  args: "FILE",
  maxArgs: 1,
  summary: "Sends the file's content as an alert and shows the investigation live",
  details: `FILE is any text, such as examples/alerts/alertmanager-webhook.json; - reads standard input.
Ctrl-C leaves the investigation running. With --json each event is a line of JSON.`,
  options: {
    type: {
      value: "TYPE",
      help: "the alert type, which chooses the chain of agents (default: the configuration's)",
    },
    runbook: { value: "URL", help: "URL of a runbook, passed to the agents" },
    key: { value: "KEY", help: "the Idempotency-Key: the same alert with it is submitted once" },
    "no-wait": { help: "prints the session's id and ends" },
    ...JSON_OPTION,
    ...API_OPTION,
    ...WS_OPTION,
  },
  run: async (call) => {
    const { positionals, option, flag, terminal, signal } = call;
    const [file] = positionals;
    if (file === undefined) throw new UsageError("no FILE given: name one, or - for standard input");
    const api = apiOf(call);
    notifierOf(call);
    const [type, runbook, key] = [option("type"), option("runbook"), option("key")];
    const accepted = await api.call("POST /api/v1/alerts", {
      body: {
        data: await readAlert(file, signal),
        ...(type === undefined ? {} : { alert_type: type }),
        ...(runbook === undefined ? {} : { runbook }),
      },
      ...(key === undefined ? {} : { headers: { "idempotency-key": key } }),
      signal,
    });
    if (flag("no-wait")) {
      terminal.write(`${flag("json") ? JSON.stringify(accepted) : accepted.session_id}\n`);
      return EXIT.done;
    }
    // The alert may have come over standard input, which then answers no question.
    const mayAsk = terminal.isInteractive && file !== "-";
    return follow(call, { api, sessionId: accepted.session_id, mayAsk });
  },
};

async function readAlert(file: string, signal: AbortSignal): Promise<string> {
  try {
    // The signal also closes standard input, which would keep the process alive.
    if (file === "-") return await text(addAbortSignal(signal, process.stdin));
    return await readFile(file, { encoding: "utf8", signal });
  } catch (error) {
    throw new UsageError(`${file} cannot be read: name a readable file, or - for standard input`, {
      cause: error,
    });
  }
}
