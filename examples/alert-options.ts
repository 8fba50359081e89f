import { parseArgs } from "node:util";

export interface AlertOptions {
  /** Path of the alert, `-` for standard input. */
  readonly file: string;
  readonly type: string | undefined;
  readonly runbook: string | undefined;
  readonly api: string;
  readonly ws: string;
}

export const USAGE = `Usage: npm run alert -- FILE [--type TYPE] [--runbook URL] [--api URL] [--ws URL]

Sends the file's content as an alert and shows the investigation live.

  FILE        any text, such as examples/alerts/alertmanager-webhook.json; - reads standard input
  --type      the alert type, which chooses the chain of agents (default: the configuration's)
  --runbook   URL of a runbook, passed to the agents
  --api       the api (TARSY_API_URL, default http://localhost:8080; API_PORT changes the port)
  --ws        the notifier (TARSY_WS_URL, default ws://localhost:8081/ws; NOTIFIER_PORT changes the port)
`;

/** Parses the command line and the environment. Throws an Error with one sentence about the first invalid option. */
export function parseAlertOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): AlertOptions | "help" {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      type: { type: "string" },
      runbook: { type: "string" },
      api: {
        type: "string",
        default: env["TARSY_API_URL"] ?? `http://localhost:${env["API_PORT"] ?? "8080"}`,
      },
      ws: {
        type: "string",
        default: env["TARSY_WS_URL"] ?? `ws://localhost:${env["NOTIFIER_PORT"] ?? "8081"}/ws`,
      },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return "help";
  const [file, ...more] = positionals;
  if (file === undefined) throw new Error("no FILE given: name one, or - for standard input");
  if (more.length > 0) throw new Error(`one FILE at a time, not ${positionals.join(" ")}`);
  const api = checkUrl("--api", values.api, /^https?:$/u, "http://localhost:8080").replace(/\/+$/u, "");
  const ws = checkUrl("--ws", values.ws, /^wss?:$/u, "ws://localhost:8081/ws");
  return { file, type: values.type, runbook: values.runbook, api, ws };
}

function checkUrl(option: string, value: string, protocol: RegExp, example: string): string {
  const url = URL.parse(value);
  if (url === null || !protocol.test(url.protocol)) {
    throw new Error(`${option} is "${value}": it must be a URL such as ${example}`);
  }
  return value;
}
