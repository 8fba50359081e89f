import { createHash } from "node:crypto";

/** Names the frame around the alert in the messages to a model: `<!-- ALERT_DATA_START … -->` to `<!-- ALERT_DATA_END … -->`. */
export const ALERT_MARKER = "ALERT_DATA";

/** Escapes comment delimiters, so that the text contains neither `<!--` nor `-->`; the rest is unchanged. */
export function escapeMarkers(text: string): string {
  return text.replaceAll("<!--", "&lt;!--").replaceAll("-->", "--&gt;");
}

/** The beginnings of the messages by which an agent learns the words of people or of the source of its alert. */
export const OPERATOR_OPENINGS = {
  note: "A person who operates this system follows your investigation and sends you the note below.",
  conclude: "A person who operates this system asks you to conclude.",
  resolved: "The source of the alert reports that the incident is over.",
} as const;

/** The code in the markers of a session's frames: short, because a prompt repeats it; 48 random bits of the nonce's UUID. */
export function frameDigits(nonce: string): string {
  return nonce.replaceAll("-", "").slice(0, 12);
}

/** The code in the placeholders of variables. No prompt shows it, so no text of a model or a tool can name a variable. */
export function variableCode(nonce: string): string {
  return createHash("sha256").update(`variables of ${nonce}`).digest("hex").slice(0, 24);
}
