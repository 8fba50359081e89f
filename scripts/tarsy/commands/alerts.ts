import type { ApiResponse } from "#shared/client/api-types.ts";
import { UsageError, type Command, type Terminal } from "../command.ts";
import { API_OPTION, JSON_OPTION, apiOf, sessionOf } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";
import { printable } from "../terminal/terminal-style.ts";

type Alerts = ApiResponse<"GET /api/v1/sessions/:id/alerts">;

/** `tarsy alerts SESSION` */
export const alertsCommand: Command = {
  name: "alerts",
  args: "SESSION",
  maxArgs: 1,
  summary: "Shows the alerts of a session's incident, newest first",
  options: {
    before: { value: "NUMBER", help: "only alerts with a number below this one" },
    limit: { value: "NUMBER", help: "how many, up to 100 (default: 50)" },
    ...JSON_OPTION,
    ...API_OPTION,
  },
  run: async (call) => {
    const id = sessionOf(call);
    const { signal, terminal } = call;
    const [before, limit] = [
      wholeNumber("before", call.option("before")),
      wholeNumber("limit", call.option("limit")),
    ];
    const page = await apiOf(call).call("GET /api/v1/sessions/:id/alerts", {
      params: { id },
      query: { ...(before === undefined ? {} : { before }), ...(limit === undefined ? {} : { limit }) },
      signal,
    });
    if (call.flag("json")) terminal.write(`${JSON.stringify(page, undefined, 2)}\n`);
    else showAlerts(page, terminal);
    return EXIT.done;
  },
};

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined || /^\d{1,9}$/u.test(text)) return text === undefined ? undefined : Number(text);
  throw new UsageError(`--${name} must be a whole number, not "${text}"`);
}

function showAlerts({ count, alerts, has_more }: Alerts, { write, style }: Terminal): void {
  if (count === 0) return write("grouping is off for this chain\n");
  write(`${count} ${count === 1 ? "alert" : "alerts"}\n`);
  for (const { ordinal, outcome, is_resolved, effect, author, received_at, data } of alerts) {
    const over = is_resolved ? `, over${effect === undefined ? "" : `: ${effect}`}` : "";
    write(
      `\n${style.cyan(`● ${ordinal} ${outcome}${over}`)} ${style.dim(received_at)} by ${printable(author)}\n`,
    );
    write(`${data === null ? style.dim("(its text is not stored)") : printable(data)}\n`);
  }
  const last = alerts.at(-1);
  if (has_more && last !== undefined) write(`\n${style.dim(`older ones: --before ${last.ordinal}`)}\n`);
}
