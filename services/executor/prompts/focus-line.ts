/** The last line of a system prompt: what the answer is for. */
export const FOCUS_LINE = {
  investigation:
    "Focus on the investigation and on recommendations that a human operator can carry out. You change nothing yourself.",
  chat: "Focus on the follow-up question, and make what you recommend something a human operator can carry out. You change nothing yourself.",
} as const;
