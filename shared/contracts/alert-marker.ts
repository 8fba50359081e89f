/** Names the frame around the alert in the messages to a model: `<!-- ALERT_DATA_START … -->` to `<!-- ALERT_DATA_END … -->`. */
export const ALERT_MARKER = "ALERT_DATA";
