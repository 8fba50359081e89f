/** As Slack asks for: with these three escaped, a text can name no person, no channel and no link. */
const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Controls, which Slack refuses or which change the order of the text around them; line breaks and tabs stay. */
const CONTROLS = /(?![\n\t])\p{Cc}|\p{Bidi_Control}/gu;

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
