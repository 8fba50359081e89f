/** The fingerprint of a session that a mention has started: where its messages go. */
export const SLACK_PLACE = /^slack:(?<channel>[CGD][A-Z0-9]+):(?<thread>[\d.]+)$/u;

/** Makes the fingerprint of a session that is started in this thread. */
export function slackPlace(channel: string, thread: string): string {
  return `slack:${channel}:${thread}`;
}
