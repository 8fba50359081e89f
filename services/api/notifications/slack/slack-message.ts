import { budgetName } from "#shared/contracts/budget.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import { withoutHidden } from "#shared/visible-controls.ts";
import type { ApprovalNews, Notification, SessionNews } from "../notification.ts";

/** As Slack asks for: with these three escaped, a text can name no person, no channel and no link. */
const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Controls, which Slack refuses or which change the order of the text around them; line breaks and tabs stay. */
const CONTROLS = /(?![\n\t])\p{Cc}|\p{Bidi_Control}/gu;

/** Which buttons a message has. */
export interface SlackButtons {
  readonly approvals: boolean;
  readonly reviews: boolean;
}

/** The buttons, by their `action_id`. */
export const SLACK_ACTIONS = {
  approve: "tarsy_approve",
  deny: "tarsy_deny",
  park: "tarsy_park",
  resume: "tarsy_resume",
  accurate: "tarsy_accurate",
  inaccurate: "tarsy_inaccurate",
} as const;

/** Of the hash of a call's arguments, in the value of the buttons that decide about it. */
export const HASH_CHARACTERS = 16;

/** What `chat.postMessage` is sent beside the channel and the thread. */
export interface SlackMessage {
  /** For notices and for clients without blocks. */
  readonly text: string;
  readonly blocks: readonly object[];
  readonly metadata: object;
}

/** The `event_type` of the metadata by which the messages of this system are known again. */
export const MESSAGE_EVENT = "tarsy_notification";

/** A section has 3,000 at most. */
const MAX_TEXT = 2_900;
const MAX_ERROR = 1_000;
const MAX_NAME = 200;

const ENDINGS = {
  completed: [":white_check_mark:", "Analysis Complete"],
  failed: [":x:", "Analysis Failed"],
  timed_out: [":hourglass:", "Analysis Timed Out"],
  cancelled: [":no_entry_sign:", "Analysis Cancelled"],
} as const;

/** The message of a notification; texts of models, tools and senders in it are inert. */
export function slackMessage(notification: Notification, buttons: SlackButtons): SlackMessage {
  const { session, dedupKey, url, kind } = notification;
  const metadata = {
    event_type: MESSAGE_EVENT,
    event_payload: { dedup_key: dedupKey, session_id: session.session_id },
  };
  const of = session.alert_type === null ? "" : ` (${name(session.alert_type)})`;
  switch (kind) {
    case "session.started": {
      const text = `Processing started${of}`;
      const written = `:arrows_counterclockwise: *Processing started*${of}. This may take a few minutes.\n<${url}|View Details>`;
      return { text, blocks: [section(written)], metadata };
    }
    case "session.ended": {
      const [emoji, label] = endingOf(session);
      const { status, executive_summary, final_analysis } = session;
      const found = executive_summary ?? final_analysis ?? "";
      const { session_id } = session;
      const reviewing = buttons.reviews
        ? [
            pressed("Accurate", SLACK_ACTIONS.accurate, session_id),
            pressed("Inaccurate", SLACK_ACTIONS.inaccurate, session_id),
          ]
        : [];
      const blocks = [
        section(`${emoji} *${label}*${of}${errorOf(session)}${checkOf(session)}`),
        ...(found.trim() === "" ? [] : [section(escapeMrkdwn(found, MAX_TEXT))]),
        actions(link(status === "completed" ? "View Full Analysis" : "View Details", url), ...reviewing),
      ];
      return { text: `${label}${of}`, blocks, metadata };
    }
    case "approval.requested":
      return { ...asking(notification.approval, { of, url, buttons }), metadata };
    case "budget.soft_limit":
    case "budget.exceeded": {
      const label = kind === "budget.exceeded" ? "Budget Exceeded" : "Budget Nearly Used Up";
      const what = kind === "budget.exceeded" ? "has no room for the next call" : "is nearly used up";
      const { used, reserved, dimension } = notification.budget;
      const unit = dimension === "usd" ? "USD" : dimension;
      const figures = `${used} ${unit} used, ${reserved} ${unit} reserved. An agent stops for it.`;
      const written = `:moneybag: *${label}*${of}\n${name(`${budgetName(notification.budget)} ${what}`)}: ${figures}`;
      return {
        text: `${label}${of}`,
        blocks: [section(written), actions(link("View Details", url))],
        metadata,
      };
    }
    case "chat.answered": {
      const { text: said } = notification.answer;
      const text = said === null ? "There is no answer" : "Answer";
      const blocks = [
        section(said === null ? text : escapeMrkdwn(said, MAX_TEXT)),
        actions(link("View", url)),
      ];
      return { text, blocks, metadata };
    }
    default:
      return kind satisfies never;
  }
}

function asking(
  approval: ApprovalNews,
  { of, url, buttons }: { readonly of: string; readonly url: string; readonly buttons: SlackButtons },
): Omit<SlackMessage, "metadata"> {
  const { tool, agent_name, expires_at, arguments: given, are_arguments_complete } = approval;
  const asks = `:raised_hand: *Approval Needed*${of}\n${name(agent_name ?? "An agent")} wants to call ${name(tool)}. Open until ${expires_at}.`;
  // People decide only about arguments that the message shows as a whole.
  const isWhole = are_arguments_complete && withoutHidden(given) === given;
  const decide = buttons.approvals && isWhole ? deciding(approval, url) : actions(link("Decide", url));
  const blocks = [
    section(asks),
    literal(`${withoutHidden(given)}${are_arguments_complete ? "" : "…"}`),
    decide,
  ];
  return { text: `Approval needed${of}: ${name(tool)}`, blocks };
}

function deciding({ approval_id, arguments_hash, tool }: ApprovalNews, url: string): object {
  const value = `${approval_id}|${arguments_hash.slice(0, HASH_CHARACTERS)}`;
  const one = (text: string, action_id: string, style: string) => ({
    ...pressed(text, action_id, value),
    style,
    confirm: {
      title: plain(`${text}?`),
      text: plain(`${text} the call of ${tool.slice(0, MAX_NAME)} with the arguments of this message.`),
      confirm: plain(text),
      deny: plain("Back"),
    },
  });
  return actions(
    one("Approve", SLACK_ACTIONS.approve, "primary"),
    one("Deny", SLACK_ACTIONS.deny, "danger"),
    link("View Details", url),
  );
}

function endingOf({ status }: SessionNews): readonly [emoji: string, label: string] {
  if (isTerminal(status)) return ENDINGS[status];
  throw new Error(`a session that is ${status} has not ended`);
}

function errorOf({ error_message }: SessionNews): string {
  return error_message === null ? "" : `\n*Error:* ${escapeMrkdwn(error_message, MAX_ERROR)}`;
}

/** How much of the conclusion was found in the results. */
function checkOf({ conclusion }: SessionNews): string {
  if (conclusion === undefined) return "";
  const { status, claims_verified: verified, claims_total: total } = conclusion;
  const claims = total === 0 ? "" : `, ${verified} of ${total} claim${total === 1 ? "" : "s"} verified`;
  return `\n*Conclusion:* ${status}${claims}`;
}

/** On one line. */
function name(text: string): string {
  return escapeMrkdwn(text.replaceAll(/\s+/gu, " "), MAX_NAME);
}

/** `verbatim`: Slack makes no links of addresses and names in it. */
function section(text: string): object {
  return { type: "section", text: { type: "mrkdwn", text, verbatim: true } };
}

/** Text without markup: each character is shown as it is. */
function literal(text: string): object {
  const element = { type: "rich_text_preformatted", elements: [{ type: "text", text }] };
  return { type: "rich_text", elements: [element] };
}

function actions(...elements: readonly object[]): object {
  return { type: "actions", elements };
}

function link(text: string, url: string): object {
  return { type: "button", text: plain(text), url };
}

function pressed(text: string, action_id: string, value: string) {
  return { type: "button", text: plain(text), action_id, value };
}

function plain(text: string): object {
  return { type: "plain_text", text };
}

/** What is known of a session that runs. */
export interface LiveNews {
  readonly session_id: string;
  readonly alert_type: string | null;
  readonly state: string;
  readonly agents: readonly string[];
  readonly last_step: string | null;
  readonly is_parked: boolean;
}

/** The message about a session that runs, without metadata: an edit keeps that of the message. */
export function liveMessage(news: LiveNews, url: string): Omit<SlackMessage, "metadata"> {
  const { session_id, alert_type, state, agents, last_step, is_parked } = news;
  const of = alert_type === null ? "" : ` (${name(alert_type)})`;
  const lines = [
    `:arrows_counterclockwise: *${name(state)}*${of}`,
    ...(agents.length === 0 ? [] : [`*Agents:* ${agents.map(name).join(", ")}`]),
    ...(last_step === null ? [] : [`*Last step:* ${name(last_step)}`]),
  ];
  const toggle = is_parked
    ? pressed("Resume", SLACK_ACTIONS.resume, session_id)
    : pressed("Park", SLACK_ACTIONS.park, session_id);
  const blocks = [section(lines.join("\n")), actions(link("View Details", url), toggle)];
  return { text: `${name(state)}${of}`, blocks };
}

/**
 * A text of others for Slack: inert, and at most `limit` UTF-16 units long once it is escaped, with an ellipsis where it was cut. No
 * escape and no pair is split.
 */
export function escapeMrkdwn(text: string, limit: number): string {
  let escaped = "";
  for (const character of text.replaceAll(CONTROLS, "")) {
    const next = ESCAPES[character] ?? character;
    if (escaped.length + next.length > limit) {
      return `${escaped.slice(0, -1).replace(/&[a-z]{0,3}$|[\ud800-\udbff]$/u, "")}…`;
    }
    escaped += next;
  }
  return escaped;
}
