import { isRfc3339, TIME_FORM } from "#shared/contracts/parse-instant.ts";
import { hasSearchLength, SEARCH_LENGTH } from "#shared/contracts/search-length.ts";
import { isTerminal, SESSION_STATUSES } from "#shared/contracts/statuses.ts";
import { SESSION_LANES } from "#shared/contracts/subjects.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { STATE_WORDS, failingText, type Failing } from "#shared/client/session-state.ts";
import { timeText } from "#shared/client/time-text.ts";
import type { ApiResponse } from "#shared/client/api-types.ts";
import { UsageError, type Command, type CommandCall, type Terminal } from "../command.ts";
import { API_OPTION, JSON_OPTION, apiOf } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";
import { cancelledText, stateText } from "../status-text.ts";
import { durationText, printable } from "../terminal/terminal-style.ts";

type Listed = ApiResponse<"GET /api/v1/sessions">;
/** This is as wide as a time of another year. */
const TIME_WIDTH = "Nov 26, 2025, 13:35".length;
/** This is as wide as the longest state. */
const STATE_WIDTH = Math.max(...Object.values(STATE_WORDS).map(({ length }) => length));

/** The words of the page that stand for several statuses or another one. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  running: SESSION_STATUSES.filter((status) => !isTerminal(status)),
  finished: SESSION_STATUSES.filter(isTerminal),
  queued: ["pending"],
};

/** States in which the api finds sessions; a status says no more of them than that they have not ended. */
const STATES = ["parked", "needs_approval", "failing"];

/** The query for the words of `--status`. */
function standing(words: string | undefined) {
  const given = words?.split(",") ?? [];
  const states = given.filter((word) => STATES.includes(word));
  if (states.length > 0 && states.length < given.length) {
    throw new UsageError(`--status is "${words}": give ${STATES.join(", ")} without other words`);
  }
  return states.length > 0
    ? { state: states.join(",") }
    : { status: words === undefined ? words : given.flatMap((word) => WORDS[word] ?? word).join(",") };
}

/** `tarsy list` */
export const listCommand: Command = {
  name: "list",
  args: "",
  maxArgs: 0,
  summary: "Lists the sessions that you may see, newest first",
  options: {
    status: {
      value: "STATUS[,STATUS]",
      help: "only these",
      choices: [...SESSION_STATUSES, ...Object.keys(WORDS), ...STATES],
    },
    priority: { value: "PRIORITY[,PRIORITY]", help: "only these", choices: SESSION_LANES },
    type: { value: "TYPE", help: "only alerts of this type" },
    chain: { value: "CHAIN", help: "only sessions of this chain" },
    search: {
      value: "TEXT",
      help: "text in alerts, analyses and timelines; at least 3 characters, or 1 of Chinese",
    },
    since: { value: "TIME", help: "created at or after this time, RFC 3339" },
    until: { value: "TIME", help: "created before this time, RFC 3339" },
    limit: { value: "N", help: "how many, 1 to 100 (default 25)" },
    page: { value: "N", help: "the page, from 1" },
    ...JSON_OPTION,
    ...API_OPTION,
  },
  run: async (call) => {
    const { option, flag, terminal, signal } = call;
    const given: Readonly<Record<string, string | number | undefined>> = {
      ...standing(option("status")),
      priority: option("priority"),
      alert_type: option("type"),
      chain_id: option("chain"),
      search: searched(option("search")),
      start_date: time(call, "since"),
      end_date: time(call, "until"),
      page_size: whole(call, "limit", 100),
      page: whole(call, "page", 1_000_000),
    };
    const query = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const listed = await apiOf(call).call("GET /api/v1/sessions", { query, signal });
    if (flag("json")) terminal.write(`${JSON.stringify(listed)}\n`);
    else showTable(listed, terminal);
    return EXIT.done;
  },
};

function whole({ option }: CommandCall, name: string, max: number): number | undefined {
  const text = option(name);
  if (text === undefined) return undefined;
  const number = /^\d{1,9}$/u.test(text) ? Number(text) : 0;
  if (number < 1 || number > max) {
    throw new UsageError(`--${name} is "${text}": give a whole number from 1 to ${max}`);
  }
  return number;
}

function time({ option }: CommandCall, name: string): string | undefined {
  const text = option(name);
  if (text === undefined || text === "" || isRfc3339(text)) return text;
  throw new UsageError(`--${name} is "${text}": give ${TIME_FORM}`);
}

function searched(text: string | undefined): string | undefined {
  if (text === undefined || text === "" || hasSearchLength(text)) return text;
  const { minBytes, maxCharacters } = SEARCH_LENGTH;
  throw new UsageError(
    `--search is too ${text.length > minBytes ? "long" : "short"}: give at least 3 characters, or 1 of Chinese, and at most ${maxCharacters}`,
  );
}

function showTable({ sessions, pagination }: Listed, { write, style, columns }: Terminal): void {
  const width = Math.max(10, ...sessions.map(({ alert_type }) => oneLine(alert_type).length));
  for (const session of sessions) {
    const { id, status, parked, failing, open_approvals, priority, alert_type, created_at, duration_ms } =
      session;
    const took = typeof duration_ms === "number" ? durationText(duration_ms) : "";
    const head = `  ${oneLine(alert_type).padEnd(width)}  ${timeText(Date.parse(created_at), Date.now(), "utc").padStart(TIME_WIDTH)}  ${took.padStart(12)}  `;
    const room = columns - id.length - STATE_WIDTH - 12 - head.length;
    const { alert_preview, error_message, executive_summary, stage_text, cancelled } = session;
    const ending = cancelled === undefined ? error_message : cancelledText(cancelled);
    const text = [alert_preview, failingOf(failing) ?? ending ?? executive_summary ?? stage_text]
      .map(oneLine)
      .filter(Boolean)
      .join(": ");
    const state = stateText({ status, parked, failing, openApprovals: open_approvals }, style, STATE_WIDTH);
    write(
      `${id}  ${state}  ${priority.padEnd(8)}${head}${text.slice(0, safeCut(text, Math.max(room, 0)))}\n`,
    );
  }
  const { page, total_pages, total_items, total_is_capped } = pagination;
  const total = `${total_items}${total_is_capped === true ? " or more" : ""}`;
  write(
    total_items === 0
      ? "no sessions\n"
      : style.dim(
          `${total} ${total === "1" ? "session" : "sessions"}, page ${page} of ${Math.max(total_pages, 1)}; times in UTC\n`,
        ),
  );
}

function failingOf(failing: Failing | undefined): string | undefined {
  return failing === undefined ? undefined : failingText(failing, Date.now());
}

function oneLine(text: string | null | undefined): string {
  return printable(text ?? "").replaceAll(/\s+/gu, " ");
}
