import type { Outbound } from "../http/outbound.ts";
import { postNews } from "../http/outcome-of.ts";
import type { Destination } from "../destination.ts";
import type { Notification } from "../notification.ts";
import type { NewsDestination } from "../read-settings.ts";

/** A message has 28 KB at most, and a text of 12,000 characters up to 72,000 bytes as JSON. */
const MAX_MESSAGE_BYTES = 28 * 1_024;
const MAX_TEXT = 12_000;

/**
 * A channel of Teams behind a URL of its app Workflows. A message cannot be found or edited there: after an attempt whose answer was lost
 * there may be two.
 */
export function teamsChannel({ name, url, address }: NewsDestination, outbound: Outbound): Destination {
  return {
    name,
    address,
    parallel: 1,
    deliver: async (notification, _attempt, signal) =>
      postNews(outbound, { url, body: teamsMessage(notification) }, signal),
  };
}

/** The message with an Adaptive Card 1.5, as JSON within the bound. */
function teamsMessage(notification: Notification): string {
  for (let limit = MAX_TEXT; ; limit = Math.floor(limit / 2)) {
    const json = JSON.stringify(message(notification, limit));
    if (Buffer.byteLength(json) <= MAX_MESSAGE_BYTES || limit === 0) return json;
  }
}

function message(notification: Notification, limit: number): object {
  const [title, ...texts] = textsOf(notification);
  const card = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.5",
    body: [
      block(title ?? "", MAX_TITLE, { weight: "Bolder", size: "Medium" }),
      ...texts.filter((text) => text !== "").map((text) => block(text, limit)),
    ],
    actions: [{ type: "Action.OpenUrl", title: "Open", url: notification.url }],
  };
  const attachment = {
    contentType: "application/vnd.microsoft.card.adaptive",
    contentUrl: null,
    content: card,
  };
  return { type: "message", attachments: [attachment] };
}

const MAX_TITLE = 300;

/** Runs of text, unlike blocks, have no Markdown: what others wrote is no link there. */
function block(text: string, limit: number, style: object = {}): object {
  const cut = text.length > limit ? `${text.slice(0, limit).toWellFormed()}…` : text;
  return { type: "RichTextBlock", inlines: [{ type: "TextRun", text: cut, ...style }] };
}

/** The title, and what stands below it. */
function textsOf(notification: Notification): readonly string[] {
  const { session, kind } = notification;
  const of = session.alert_type === null ? "" : ` (${session.alert_type})`;
  switch (kind) {
    case "session.started":
      return [`Processing started${of}`];
    case "session.ended": {
      const { status, conclusion, error_message, executive_summary, final_analysis } = session;
      const label = `Analysis ${status === "completed" ? "complete" : status.replace("_", " ")}`;
      const found = conclusion === undefined ? "" : `Conclusion: ${conclusion.status}`;
      return [`${label}${of}`, found, error_message ?? "", executive_summary ?? final_analysis ?? ""];
    }
    case "approval.requested": {
      const { tool, agent_name, arguments: given, expires_at } = notification.approval;
      const asks = `${agent_name ?? "An agent"} wants to call ${tool}. Open until ${expires_at}.`;
      return [`Approval needed${of}`, asks, given];
    }
    case "budget.soft_limit":
    case "budget.exceeded":
      return [`${kind === "budget.exceeded" ? "Budget exceeded" : "Budget nearly used up"}${of}`];
    case "chat.answered":
      return ["Answer", notification.answer.text ?? ""];
    default:
      return kind satisfies never;
  }
}
