import { readFile } from "node:fs/promises";
import { addAbortSignal } from "node:stream";
import { text } from "node:stream/consumers";
import { SESSION_LANES } from "#shared/contracts/subjects.ts";
import { UsageError, type Command } from "../command.ts";
import { API_OPTION, JSON_OPTION, WS_OPTION, apiOf, notifierOf } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";
import { follow } from "../follow.ts";

/** `tarsy alert FILE`, `tarsy alert --text TEXT` */
export const alertCommand: Command = {
  name: "alert",
  args: "FILE | --text TEXT",
  maxArgs: 1,
  summary: "Sends a file or a text as an alert and shows the investigation live",
  details: `FILE is any text, such as examples/alerts/alertmanager-webhook.json; - reads standard input.
Ctrl-C leaves the investigation running. With --json each event is a line of JSON.`,
  options: {
    text: { value: "TEXT", help: 'the alert itself, e.g. "Disk full on db-7"' },
    type: {
      value: "TYPE",
      help: "the alert type, which chooses the chain of agents (default: the configuration's)",
    },
    priority: {
      value: "PRIORITY",
      help: "how urgent it is (default: the chain's); critical needs the role operator",
      choices: SESSION_LANES,
    },
    runbook: { value: "URL", help: "URL of a runbook, passed to the agents" },
    key: {
      value: "KEY",
      help: "the Idempotency-Key: repeating the command with it submits the alert only once",
    },
    "dry-run": { help: "shows chain, agents, tools, first prompt and expected cost, and starts nothing" },
    "no-wait": { help: "prints the session's ID and exits" },
    ...JSON_OPTION,
    ...API_OPTION,
    ...WS_OPTION,
  },
  run: async (call) => {
    const { positionals, option, flag, terminal, signal } = call;
    const alert = chooseAlert(positionals, option("text"));
    const api = apiOf(call);
    notifierOf(call);
    const [type, runbook, key] = [option("type"), option("runbook"), option("key")];
    const priority = SESSION_LANES.find((lane) => lane === option("priority"));
    const body = {
      data: await readAlert(alert, signal),
      ...(type === undefined ? {} : { alert_type: type }),
      ...(priority === undefined ? {} : { priority }),
      ...(runbook === undefined ? {} : { runbook }),
    };
    if (flag("dry-run")) {
      // The executor's code takes longer to load than the other commands take to run.
      const { dryRun } = await import("../dry-run.ts");
      return dryRun(call, api, body);
    }
    const accepted = await api.call("POST /api/v1/alerts", {
      body,
      ...(key === undefined ? {} : { headers: { "idempotency-key": key } }),
      signal,
    });
    const { session_id: sessionId, message } = accepted;
    // It is about an incident that is over, or of which the session is not the caller's to see.
    if (flag("no-wait") || sessionId === undefined) {
      terminal.write(`${flag("json") ? JSON.stringify(accepted) : (sessionId ?? message)}\n`);
      return EXIT.done;
    }
    // The alert may have come over standard input, which then answers no question.
    const mayAsk = terminal.isInteractive && alert.file !== "-";
    return follow(call, { api, sessionId, mayAsk });
  },
};

type GivenAlert = { readonly file: string } | { readonly file: undefined; readonly text: string };

function chooseAlert([file]: readonly string[], given: string | undefined): GivenAlert {
  if (file !== undefined && given !== undefined) {
    throw new UsageError("FILE and --text cannot be used together: give one of them");
  }
  if (given !== undefined && given.trim() === "") throw new UsageError("--text is empty: write the alert");
  if (given !== undefined) return { file: undefined, text: given };
  if (file !== undefined) return { file };
  throw new UsageError('no FILE given: name one, - for standard input, or write --text "Disk full on db-7"');
}

async function readAlert(alert: GivenAlert, signal: AbortSignal): Promise<string> {
  if (alert.file === undefined) return alert.text;
  const { file } = alert;
  try {
    // The signal also closes standard input, which would keep the process alive.
    if (file === "-") return await text(addAbortSignal(signal, process.stdin));
    return await readFile(file, { encoding: "utf8", signal });
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw new UsageError(
      isMissing
        ? `there is no file ${file}: name one, - for standard input, or send it as it is with --text ${JSON.stringify(file)}`
        : `${file} cannot be read: name a readable file, - for standard input, or send a text with --text`,
      { cause: error },
    );
  }
}
