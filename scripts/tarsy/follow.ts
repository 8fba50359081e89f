import type { ApiClient } from "#shared/client/api-client.ts";
import { ApiFailure } from "#shared/client/api-failure.ts";
import { followSession } from "#shared/client/follow-session.ts";
import { ApprovalQuestions } from "./terminal/approval-questions.ts";
import { askInTerminal } from "./terminal/ask-in-terminal.ts";
import { TimelineRenderer } from "./terminal/render-timeline.ts";
import { printable } from "./terminal/terminal-style.ts";
import type { CommandCall } from "./command.ts";
import { notifierOf } from "./connection.ts";
import { cancelledText } from "./status-text.ts";
import { EXIT } from "./exit-codes.ts";
import { LiveStatus } from "./live-status.ts";

interface FollowedSession {
  readonly api: ApiClient;
  readonly sessionId: string;
  /** A person at the terminal may decide about tool calls. */
  readonly mayAsk: boolean;
}

/** Shows a session live to its end, and its result; resolves with the exit code. Ctrl-C leaves the session running. */
export async function follow(
  call: CommandCall,
  { api, sessionId, mayAsk }: FollowedSession,
): Promise<number> {
  const { terminal, signal } = call;
  const { style } = terminal;
  const isJson = call.flag("json");
  const { session_metadata, forked_from } = await api.call("GET /api/v1/sessions/:id", {
    params: { id: sessionId },
    signal,
  });
  const notice = noticeIn(session_metadata);
  if (!isJson) {
    if (notice !== undefined) terminal.write(`${style.bold(printable(notice))}\n`);
    terminal.write(style.dim(`Session ${sessionId}\nPage    ${api.url}/s/${sessionId}\n`));
  }
  using status = new LiveStatus(
    isJson ? { ...terminal, isTerminal: false, write: () => undefined } : terminal,
  );
  const renderer = new TimelineRenderer((text) => status.write(text), style, forked_from?.at_seq);
  const questions = new ApprovalQuestions({
    api,
    sessionId,
    write: (text) => status.write(text),
    style,
    ...(mayAsk && !isJson ? { ask: askInTerminal } : {}),
  });
  try {
    status.set("waiting for an executor");
    const notifier = notifierOf(call);
    await followSession({
      url: notifier.url,
      open: notifier.open,
      sessionId,
      signal,
      onMessage: (message) => {
        if (isJson) {
          terminal.write(`${JSON.stringify(message)}\n`);
          return;
        }
        if (message["type"] === "tool.progress") status.progress(message);
        if (message["type"] === "session.progress") status.set(printable(String(message["status_text"])));
        renderer.show(message);
        questions.receive(message);
      },
      onDisconnect: (why) => {
        if (!notifier.isLooking()) terminal.warn(style.dim(`\n[${printable(why)}: reconnecting]\n`));
      },
    });
  } catch (error) {
    await questions.finish();
    if (!signal.aborted) throw withNextStep(error, sessionId);
    status[Symbol.dispose]();
    if (!isJson) terminal.write(goesOn(sessionId));
    return EXIT.interrupted;
  }
  await questions.finish();
  renderer.finish();
  status[Symbol.dispose]();
  return await printResult(call, { api, sessionId, renderer, isJson });
}

/** Prints the final analysis and a failure's reason, unless the timeline showed them already; returns the exit code. */
async function printResult(
  { terminal: { write, warn, style } }: CommandCall,
  shown: { api: ApiClient; sessionId: string; renderer: TimelineRenderer; isJson: boolean },
): Promise<number> {
  const session = await shown.api.call("GET /api/v1/sessions/:id", { params: { id: shown.sessionId } });
  const { status, final_analysis, error_message, cancelled } = session;
  if (!shown.isJson) {
    if (typeof final_analysis === "string" && final_analysis !== shown.renderer.finalAnalysis) {
      write(`${style.bold("\n● Final analysis\n")}${printable(final_analysis)}\n`);
    }
    if (cancelled !== undefined) warn(`${printable(cancelledText(cancelled))}\n`);
    else if (status !== "completed") {
      const unshown = typeof error_message === "string" ? shown.renderer.unshown(error_message) : undefined;
      const why = unshown === undefined ? "" : `: ${printable(unshown)}`;
      warn(style.red(`The investigation ended ${status.replaceAll("_", " ")}${why}\n`));
    }
  }
  return status === "completed" ? EXIT.done : EXIT.failed;
}

/** The commands that a person can type once the view is lost for good. */
function withNextStep(error: unknown, sessionId: string): unknown {
  if (!(error instanceof ApiFailure) || error.code !== undefined) return error;
  return new ApiFailure(`${error.message}\n  see it later:  npm run tarsy -- watch ${sessionId}`, {
    cause: error,
  });
}

function goesOn(sessionId: string): string {
  return `
The investigation goes on without you.
  see it:     npm run tarsy -- watch ${sessionId}
  cancel it:  npm run tarsy -- cancel ${sessionId}
`;
}

function noticeIn(metadata: unknown): string | undefined {
  if (typeof metadata !== "object" || metadata === null || !("notice" in metadata)) return undefined;
  return typeof metadata.notice === "string" ? metadata.notice : undefined;
}
