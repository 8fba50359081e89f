import type { ApiResponse } from "#shared/client/api-types.ts";
import { pause } from "#shared/pause.ts";
import type { Command, CommandCall, Terminal } from "../command.ts";
import { API_OPTION, JSON_OPTION, apiOf, sessionOf } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";
import { printable } from "../terminal/terminal-style.ts";

type Score = ApiResponse<"GET /api/v1/sessions/:id/score">;

/** The time between two looks at a scoring that is not over. */
const LOOK_AGAIN_MS = 500;

/** `tarsy score SESSION` */
export const scoreCommand: Command = {
  name: "score",
  args: "SESSION",
  maxArgs: 1,
  summary: "Has a judge score a finished session, and shows the result",
  details: "Scoring continues if you interrupt the command. With --last, no new score is requested.",
  options: {
    last: { help: "shows the newest score instead" },
    ...JSON_OPTION,
    ...API_OPTION,
  },
  run: async (call) => {
    const { signal, terminal } = call;
    const id = sessionOf(call);
    if (!call.flag("last")) {
      await apiOf(call).call("POST /api/v1/sessions/:id/score", { params: { id }, signal });
    }
    const score = await finishedScore(call, id);
    if (call.flag("json")) terminal.write(`${JSON.stringify(score, undefined, 2)}\n`);
    else showScore(score, terminal);
    return score.status === "completed" ? EXIT.done : EXIT.failed;
  },
};

/** A scoring has a deadline of its own, so that this ends. */
async function finishedScore(call: CommandCall, id: string): Promise<Score> {
  for (;;) {
    const { signal } = call;
    const score = await apiOf(call).call("GET /api/v1/sessions/:id/score", { params: { id }, signal });
    if (score.completed_at !== null) return score;
    await pause(LOOK_AGAIN_MS, signal);
  }
}

function showScore(score: Score, { write, style }: Terminal): void {
  const { status, total_score, failure_tags, error_message } = score;
  write(`${style.bold(total_score === null ? status : `${total_score} of 100`)}\n`);
  if (failure_tags.length > 0) write(`${failure_tags.join(", ")}\n`);
  const parts: [string, string | null][] = [
    ["Analysis", score.score_analysis],
    ["Tools", score.tool_improvement_report],
    ["Error", error_message],
  ];
  for (const [title, text] of parts) {
    if (text !== null && text !== "") write(`\n${style.bold(title)}\n${printable(text)}\n`);
  }
}
