import { messageTitle, personName } from "#shared/client/person-name.ts";
import { failingText, parkedBy } from "#shared/client/session-state.ts";
import { durationText, printable } from "../terminal/terminal-style.ts";
import type { ApiResponse } from "#shared/client/api-types.ts";
import { fullTimeText } from "#shared/client/time-text.ts";
import type { Command, Terminal } from "../command.ts";
import { ShownErrors } from "../terminal/shown-errors.ts";
import { eventTitle } from "../terminal/timeline-block.ts";
import { toolName } from "../terminal/tool-name.ts";
import { API_OPTION, JSON_OPTION, apiOf, sessionOf } from "../connection.ts";
import { budgetLines } from "../budget-lines.ts";
import { EXIT } from "../exit-codes.ts";
import { cancelledText, stateText, statusText } from "../status-text.ts";

type Session = ApiResponse<"GET /api/v1/sessions/:id">;

/** `tarsy show SESSION` */
export const showCommand: Command = {
  name: "show",
  args: "SESSION",
  maxArgs: 1,
  summary: "Shows a session with its stages, its timeline and its result",
  options: {
    brief: { help: "leaves the timeline out" },
    ...JSON_OPTION,
    ...API_OPTION,
  },
  run: async (call) => {
    const id = sessionOf(call);
    const { terminal, signal } = call;
    const session = await apiOf(call).call("GET /api/v1/sessions/:id", { params: { id }, signal });
    if (call.flag("json")) {
      terminal.write(`${JSON.stringify(session, undefined, 2)}\n`);
      return EXIT.done;
    }
    showHead(session, terminal);
    showStages(session, terminal);
    if (!call.flag("brief")) showTimeline(session, terminal);
    showResult(session, terminal);
    return EXIT.done;
  },
};

function showHead(session: Session, { write, style }: Terminal): void {
  const lines: [string, unknown][] = [
    ["alert", session.alert_preview],
    ["session", session.id],
    ["type", session.alert_type],
    ["chain", session.chain_id],
    ["by", session.author === null ? null : personName(session.author)],
    ["priority", session.priority],
    ["created", fullTimeText(Date.parse(session.created_at), "utc")],
    ["took", typeof session.duration_ms === "number" ? durationText(session.duration_ms) : undefined],
    ["tokens", session.total_tokens],
    ["score", session.latest_score ?? session.scoring_status],
    ["waiting", session.waiting_for?.reason],
    ["alerts", session.alert_group && `${session.alert_group.count} (${session.alert_group.state})`],
    ["parked", session.parked && parkedText(session.parked)],
    ["failing", session.failing && failingText(session.failing, Date.now())],
    ...session.budgets.flatMap(budgetLines).map((line): [string, unknown] => ["budget", line]),
  ];
  const { status, parked, failing, approvals } = session;
  const state = stateText({ status, parked, failing, openApprovals: approvals.length }, style);
  write(`${"status".padEnd(10)}${state}\n`);
  for (const [name, value] of lines) {
    if (value !== undefined && value !== null) write(`${name.padEnd(10)}${printable(textOf(value))}\n`);
  }
}

function parkedText({ by, actor, reason, at, until }: NonNullable<Session["parked"]>): string {
  const who = parkedBy({ by, ...(actor === undefined ? {} : { actor }) });
  const since = at === undefined ? "after the current step" : `since ${fullTimeText(Date.parse(at), "utc")}`;
  const end =
    until === undefined
      ? ", resumes when a slot is free"
      : `, until ${fullTimeText(Date.parse(until), "utc")} at the latest`;
  const why = by === "operator" && reason !== undefined ? `: ${reason}` : "";
  return `${who} ${since}${end}${why}`;
}

type ShownRun = Pick<Session["stages"][number]["executions"][number], "status" | "error_message">;

function showStages({ stages }: Session, { write, style }: Terminal): void {
  for (const { stage_name, status, duration_ms, executions } of stages) {
    const took = typeof duration_ms === "number" ? ` in ${durationText(duration_ms)}` : "";
    write(`\n▶ ${printable(stage_name)}: ${statusText(status, style)}${took}\n`);
    const showAgent = (name: string, { status: of, error_message }: ShownRun) => {
      const why =
        typeof error_message === "string" && of !== "cancelled" ? `: ${printable(error_message)}` : "";
      write(`  ${printable(name)}: ${statusText(of, style)}${why}\n`);
    };
    for (const { sub_agents = [], ...agent } of executions) {
      showAgent(agent.agent_name, agent);
      for (const child of sub_agents) showAgent(`${agent.agent_name} › ${child.agent_name}`, child);
    }
  }
}

function showTimeline({ timeline }: Session, { write, style }: Terminal): void {
  const errors = new ShownErrors();
  for (const { event_type, content, created_at, metadata } of timeline) {
    const tool = toolName(metadata);
    const type = event_type === "user_question" ? (messageTitle(metadata) ?? event_type) : event_type;
    const title = `● ${eventTitle(type)}${tool === "" ? "" : ` ${tool}`}`;
    const shown = event_type === "error" ? errors.show(content) : content;
    write(
      `\n${style.cyan(title)} ${style.dim(fullTimeText(Date.parse(created_at), "utc"))}\n${printable(shown)}\n`,
    );
  }
}

function showResult(session: Session, { write, style }: Terminal): void {
  const parts: [string, unknown][] = [
    ["Executive summary", session.executive_summary],
    ["Final analysis", session.final_analysis],
    session.cancelled === undefined
      ? ["Error", session.error_message]
      : ["Cancelled", cancelledText(session.cancelled)],
  ];
  for (const [title, text] of parts) {
    if (typeof text === "string" && text !== "") write(`\n${style.bold(title)}\n${printable(text)}\n`);
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
