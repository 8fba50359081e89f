/** Answers the one call at the end of a session that asks for its executive summary. */
export const SUMMARY_CALL = {
  when: { contains: "summaries of incident analyses" },
  steps: [{ text: "In short." }, { usage: { input_tokens: 3, output_tokens: 2, thinking_tokens: 1 } }],
};

/** Holds for the calls that ask for the summary of a large tool result. */
export const ASKS_FOR_TOOL_SUMMARY = { contains: "You summarise the output of the tool" };

/** A scripted model whose behaviour words in the alert select. */
export const GATED_SCRIPT = {
  calls: [
    SUMMARY_CALL,
    { when: { contains: "HANG" }, steps: [{ text: "this goes on" }, { hang: true }] },
    {
      when: { contains: "REFUSE" },
      steps: [
        { text: "I would say" },
        { error: { code: "content_blocked", message: "we do not answer this", retryable: false } },
      ],
    },
    {
      when: { contains: "SLOW" },
      steps: [
        { thinking: "hm" },
        { text: "one two three four five six seven eight nine", chunk_size: 4, chunk_delay: "300ms" },
      ],
    },
    {
      when: { contains: "LONG" },
      steps: [{ text: "one more line of text\n", chunk_size: 5, chunk_delay: "200ms", repeat: 8 }],
    },
    {
      steps: [
        { thinking: "let me 🤔 see", chunk_size: 3 },
        { text: "# Findings\n\nthe disk is full 💾, délétez les logs", chunk_size: 5 },
        { usage: { input_tokens: 11, output_tokens: 13, thinking_tokens: 7 } },
      ],
    },
  ],
};
