import type { ApiResponse } from "#shared/client/api-types.ts";
import { fullTimeText } from "#shared/client/time-text.ts";
import { UsageError, type Command, type Terminal } from "../command.ts";
import { API_OPTION, JSON_OPTION, apiOf } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";
import { printable } from "../terminal/terminal-style.ts";

type SentNotification = ApiResponse<"GET /api/v1/notifications">["notifications"][number];

const STATES = ["pending", "sent", "dropped", "dead"] as const;

/** `tarsy notifications [retry ID]` */
export const notificationsCommand: Command = {
  name: "notifications",
  args: "[retry ID]",
  maxArgs: 2,
  summary: "Lists notifications to Slack and webhooks, newest first, or sends one again",
  words: ["retry"],
  options: {
    state: { value: "STATE", help: "only these", choices: STATES },
    destination: { value: "NAME", help: "only notifications to slack or webhook:<name>" },
    session: { value: "SESSION", help: "only notifications of this session" },
    ...JSON_OPTION,
    ...API_OPTION,
  },
  run: async (call) => {
    const { positionals, option, flag, terminal, signal } = call;
    const [word, id] = positionals;
    if (word !== undefined) {
      const retried = await apiOf(call).call("POST /api/v1/notifications/:notification/retry", {
        params: { notification: retriedId(word, id) },
        signal,
      });
      if (flag("json")) terminal.write(`${JSON.stringify(retried)}\n`);
      else showLine(retried, terminal);
      return EXIT.done;
    }
    const given = {
      state: STATES.find((state) => state === option("state")),
      destination: option("destination"),
      session_id: option("session"),
    };
    const query = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const listed = await apiOf(call).call("GET /api/v1/notifications", { query, signal });
    if (flag("json")) terminal.write(`${JSON.stringify(listed)}\n`);
    else if (listed.notifications.length === 0) terminal.write("no notifications\n");
    else for (const notification of listed.notifications) showLine(notification, terminal);
    return EXIT.done;
  },
};

function retriedId(word: string, id: string | undefined): number {
  if (word !== "retry") throw new UsageError(`unknown word "${word}": the only one is retry`);
  if (id === undefined || !/^[1-9]\d{0,9}$/u.test(id)) {
    throw new UsageError("give the number of the notification, as the list has it");
  }
  return Number(id);
}

function showLine(
  { id, created_at, session_id, kind, destination, state, attempts, last_error }: SentNotification,
  { write, style }: Terminal,
): void {
  const shownState = state === "dead" ? style.red(state.padEnd(8)) : state.padEnd(8);
  const error = last_error === undefined ? "" : style.dim(`  ${printable(last_error)}`);
  const tries = `${attempts} ${attempts === 1 ? "attempt" : "attempts"}`;
  write(
    `${String(id).padStart(6)}  ${fullTimeText(Date.parse(created_at), "utc")}  ${shownState}  ${kind.padEnd(18)}  ${printable(destination)}  ${session_id}  ${tries}${error}\n`,
  );
}
