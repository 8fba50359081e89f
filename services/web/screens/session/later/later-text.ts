/** The texts of the parts of a session's screen that are loaded when they are shown, by the place where they stand. */
export const LATER_TEXT = {
  write: "Write a message",
  steering: {
    title: "Tell the agents",
    hint: "They read it before their next step. Enter sends it, Shift and Enter begin a new line.",
    to: "To",
    all: "All agents",
    note: "Send",
    conclude: "Conclude now",
    concludeHint:
      "The agents answer with what they know, without further tool calls. A message goes with it.",
    skip: "Skip tool call",
    skipHint: "The tool calls that are running end, and the agents go on without them.",
    sent: "Sent",
    notAllowed: "Only the submitter of the session and operators may write to its agents.",
    unread: "Not read yet",
    modes: { note: "Note", conclude: "Conclude", skip_tool: "Skip" },
    by: (author: string) => `by ${author}`,
    for: (agents: string) => `for ${agents}`,
    next: "the agents that start next",
  },
} as const;
