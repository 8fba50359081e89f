import { addAbortSignal } from "node:stream";
import { createInterface } from "node:readline";
import { followSession, type NotifierMessage } from "#shared/client/follow-session.ts";
import { UsageError, type Command, type CommandCall } from "../command.ts";
import { API_OPTION, JSON_OPTION, WS_OPTION, apiOf, notifierOf, sessionOf } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";
import { LiveStatus } from "../live-status.ts";
import { InputEndedError, askInTerminal } from "../terminal/ask-in-terminal.ts";
import { TimelineRenderer } from "../terminal/render-timeline.ts";
import { printable } from "../terminal/terminal-style.ts";

/** `tarsy chat SESSION`, `tarsy chat SESSION --message TEXT` */
export const chatCommand: Command = {
  name: "chat",
  args: "SESSION [--message TEXT]",
  maxArgs: 1,
  summary: "Asks about a finished investigation and shows the answers live",
  details: `Without --message each line is a question: of a person, or of standard input.
Ctrl-C during an answer cancels it, and at the prompt it only ends the command, as the end of the input (Ctrl-D) does. With --json each event is a line of JSON.`,
  options: {
    message: { value: "TEXT", help: "asks this question and exits" },
    ...JSON_OPTION,
    ...API_OPTION,
    ...WS_OPTION,
  },
  run: async (call) => {
    const sessionId = sessionOf(call);
    const given = call.option("message");
    if (given?.trim() === "") throw new UsageError("--message is empty: write the question");
    notifierOf(call);
    let code: number = EXIT.done;
    for await (const question of given === undefined ? questions(call) : [given]) {
      if (question.trim() === "") continue;
      code = await answer(call, sessionId, question);
      if (call.signal.aborted) return EXIT.interrupted;
    }
    return code;
  },
};

/** The lines that a person or another program writes; Ctrl-C ends them. */
async function* questions({ terminal, signal }: CommandCall): AsyncGenerator<string> {
  if (!terminal.isInteractive) {
    // The signal also closes standard input, which would keep the process alive.
    const lines = createInterface({ input: addAbortSignal(signal, process.stdin) });
    try {
      yield* lines;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    return;
  }
  for (;;) {
    let line: string;
    try {
      line = await askInTerminal(terminal.style.bold("\n? "), signal);
    } catch (error) {
      if (signal.aborted || error instanceof InputEndedError) {
        terminal.write("\n");
        return;
      }
      throw error;
    }
    yield line;
  }
}

/** Asks one question and shows its answer to the end; resolves with the exit code. Ctrl-C cancels the answer. */
async function answer(call: CommandCall, sessionId: string, content: string): Promise<number> {
  const { terminal, signal } = call;
  const { style } = terminal;
  const api = apiOf(call);
  const params = { id: sessionId };
  const { last_seq: afterSeq = 0 } = await api.call("GET /api/v1/sessions/:id", { params, signal });
  const asked = await api.call("POST /api/v1/sessions/:id/chat/messages", {
    params,
    body: { content },
    signal,
  });
  const isJson = call.flag("json");
  using status = new LiveStatus(
    isJson ? { ...terminal, isTerminal: false, write: () => undefined } : terminal,
  );
  const renderer = new TimelineRenderer((text) => status.write(text), style);
  const isShown = shownAlready(terminal.isInteractive && call.option("message") === undefined);
  const over = new AbortController();
  let end: unknown;
  status.set("waiting for an executor");
  const notifier = notifierOf(call);
  try {
    await followSession({
      url: notifier.url,
      open: notifier.open,
      sessionId,
      afterSeq,
      signal: AbortSignal.any([signal, over.signal]),
      onMessage: (message) => {
        if (isJson) terminal.write(`${JSON.stringify(message)}\n`);
        else if (!isShown(message)) renderer.show(message);
        if (message["type"] !== "stage.completed" || message["stage_id"] !== asked.stage_id) return;
        end = message["status"];
        over.abort();
      },
      onDisconnect: (why) => {
        if (!notifier.isLooking()) terminal.warn(style.dim(`\n[${printable(why)}: reconnecting]\n`));
      },
    });
  } catch (error) {
    if (end === undefined && signal.aborted) {
      await api.call("POST /api/v1/sessions/:id/cancel", { params, accepts: [409] });
      status[Symbol.dispose]();
      terminal.warn(style.dim("\nThe answer is being cancelled.\n"));
      return EXIT.interrupted;
    }
    if (end === undefined) throw error;
  }
  renderer.finish();
  return end === "completed" ? EXIT.done : EXIT.failed;
}

/**
 * Returns a function that knows whether the screen has a message's text already: the question, if a person has typed it there, and an answer
 * that comes again as the final analysis.
 */
function shownAlready(isTyped: boolean): (message: NotifierMessage) => boolean {
  const responses = new Set<unknown>();
  return ({ event_type: type, status, content }) => {
    if (type === "llm_response" && status === "completed") responses.add(content);
    return (type === "user_question" && isTyped) || (type === "final_analysis" && responses.has(content));
  };
}
