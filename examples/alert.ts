import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { accessHeaders } from "./access-token.ts";
import { USAGE, parseAlertOptions, type AlertOptions } from "./alert-options.ts";
import { postAlert, readSession, type SessionSummary } from "./api-client.ts";
import { followOverWebSocket } from "./follow-over-websocket.ts";
import { TimelineRenderer } from "./render-timeline.ts";
import { printable, terminalStyle, type TerminalStyle } from "./terminal-style.ts";

const EXIT_CODE_SIGINT = 130;
const write = (line: string) => void process.stdout.write(line);

/** Sends the alert and shows its investigation; resolves with the exit code. */
async function run(options: AlertOptions, style: TerminalStyle): Promise<number> {
  const { api, ws } = options;
  const access = { api, headers: accessHeaders(api, process.env) };
  const sessionId = await postAlert(access, {
    data: await readAlert(options.file),
    ...(options.type === undefined ? {} : { alert_type: options.type }),
    ...(options.runbook === undefined ? {} : { runbook: options.runbook }),
  });
  process.once("SIGINT", () => leave(api, sessionId));
  const { notice } = await readSession(access, sessionId);
  if (notice !== undefined) write(`${style.bold(printable(notice))}\n`);
  write(style.dim(`Session ${sessionId}\n`));
  const renderer = new TimelineRenderer(write, style);
  const { signal } = new AbortController();
  await followOverWebSocket({
    ws,
    headers: accessHeaders(ws, process.env),
    sessionId,
    signal,
    onMessage: (message) => renderer.show(message),
    onDisconnect: (why) => process.stderr.write(style.dim(`\n[${printable(why)}: reconnecting]\n`)),
  });
  renderer.finish();
  return printResult(await readSession(access, sessionId), renderer, style);
}

/** Prints the final analysis and a failure's reason, unless the timeline showed them already; returns the exit code. */
function printResult(session: SessionSummary, shown: TimelineRenderer, style: TerminalStyle): number {
  const { status, finalAnalysis, errorMessage } = session;
  if (finalAnalysis !== undefined && finalAnalysis !== shown.finalAnalysis) {
    write(`${style.bold("\n● Final analysis\n")}${printable(finalAnalysis)}\n`);
  }
  if (status === "completed") return 0;
  const unshown = errorMessage === undefined ? undefined : shown.unshown(errorMessage);
  const why = unshown === undefined ? "" : `: ${printable(unshown)}`;
  process.stderr.write(style.red(`The investigation ended ${status.replaceAll("_", " ")}${why}\n`));
  return 1;
}

async function readAlert(file: string): Promise<string> {
  try {
    return file === "-" ? await text(process.stdin) : await readFile(file, "utf8");
  } catch (error) {
    throw new Error(`${file} cannot be read: name a readable file, or - for standard input`, {
      cause: error,
    });
  }
}

function leave(api: string, sessionId: string): never {
  const url = `${api}/api/v1/sessions/${sessionId}`;
  write(
    `\nThe investigation goes on without you.\n  see it:     curl ${url}\n  cancel it:  curl -X POST ${url}/cancel\n`,
  );
  process.exit(EXIT_CODE_SIGINT);
}

try {
  const options = parseAlertOptions(process.argv.slice(2), process.env);
  const colours = process.stdout.isTTY && (process.env["NO_COLOR"] ?? "") === "";
  if (options === "help") write(USAGE);
  else process.exitCode = await run(options, terminalStyle(colours));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
