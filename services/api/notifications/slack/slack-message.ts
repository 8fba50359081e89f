import { budgetName } from "#shared/contracts/budget.ts";
import type { Notification, SessionNews } from "../notification.ts";

/** As Slack asks for: with these three escaped, a text can name no person, no channel and no link. */
const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Controls, which Slack refuses or which change the order of the text around them; line breaks and tabs stay. */
const CONTROLS = /(?![\n\t])\p{Cc}|\p{Bidi_Control}/gu;

/** What `chat.postMessage` is sent beside the channel and the thread. */
interface SlackMessage {
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
const MAX_ARGUMENTS = 1_000;
const MAX_NAME = 200;

const ENDINGS = {
  completed: [":white_check_mark:", "Analysis Complete"],
  failed: [":x:", "Analysis Failed"],
  timed_out: [":hourglass:", "Analysis Timed Out"],
  cancelled: [":no_entry_sign:", "Analysis Cancelled"],
} as const;

/** The message of a notification; texts of models, tools and senders in it are inert. */
export function slackMessage(notification: Notification): SlackMessage {
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
      const blocks = [
        section(`${emoji} *${label}*${of}${errorOf(session)}${checkOf(session)}`),
        ...(found.trim() === "" ? [] : [section(escapeMrkdwn(found, MAX_TEXT))]),
        button(status === "completed" ? "View Full Analysis" : "View Details", url),
      ];
      return { text: `${label}${of}`, blocks, metadata };
    }
    case "approval.requested": {
      const {
        tool,
        agent_name,
        expires_at,
        arguments: given,
        are_arguments_complete,
      } = notification.approval;
      const asks = `:raised_hand: *Approval Needed*${of}\n${name(agent_name ?? "An agent")} wants to call ${name(tool)}. Open until ${expires_at}.`;
      const shown = `${escapeMrkdwn(given, MAX_ARGUMENTS)}${are_arguments_complete ? "" : "…"}`;
      const blocks = [section(asks), section(`*Arguments:* ${shown}`), button("Decide", url)];
      return { text: `Approval needed${of}: ${name(tool)}`, blocks, metadata };
    }
    case "budget.soft_limit":
    case "budget.exceeded": {
      const label = kind === "budget.exceeded" ? "Budget Exceeded" : "Budget Nearly Used Up";
      const what = kind === "budget.exceeded" ? "has no room for the next call" : "is nearly used up";
      const { used, reserved, dimension } = notification.budget;
      const unit = dimension === "usd" ? "USD" : dimension;
      const figures = `${used} ${unit} used, ${reserved} ${unit} reserved. An agent stops for it.`;
      const written = `:moneybag: *${label}*${of}\n${name(`${budgetName(notification.budget)} ${what}`)}: ${figures}`;
      return { text: `${label}${of}`, blocks: [section(written), button("View Details", url)], metadata };
    }
    default:
      return kind satisfies never;
  }
}

function endingOf({ status }: SessionNews): readonly [emoji: string, label: string] {
  switch (status) {
    case "completed":
    case "failed":
    case "timed_out":
    case "cancelled":
      return ENDINGS[status];
    case "pending":
    case "in_progress":
    case "cancelling":
      throw new Error(`a session that is ${status} has not ended`);
    default:
      return status satisfies never;
  }
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

function button(text: string, url: string): object {
  return { type: "actions", elements: [{ type: "button", text: { type: "plain_text", text }, url }] };
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
