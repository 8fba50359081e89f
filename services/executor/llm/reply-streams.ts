import { ReactSections } from "../react-parser/react-sections.ts";
import type { ReplyStyle } from "../controllers/controller.ts";
import type { DeltaHandlers } from "./call-llm.ts";
import type { StreamKind, TimelineWriter } from "../persist/timeline-writer.ts";

/** Where the deltas of one attempt go, by the style of the reply. */
export interface ReplyStreams extends DeltaHandlers {
  /** Releases what was held back in case it became a section's header. */
  readonly end: () => Promise<void>;
}

const PLAIN: Record<Exclude<ReplyStyle, "react">, StreamKind> = {
  "final-answer": "answer",
  native: "response",
};

/**
 * Thinking and plain text stream as they come. A ReAct reply streams by section: the thought and the final answer grow in
 * their own rows, and nothing of an action is shown.
 */
export function replyStreams(style: ReplyStyle, timeline: TimelineWriter): ReplyStreams {
  const thinking = (delta: string) => timeline.append("thinking", delta);
  if (style !== "react") {
    const kind = PLAIN[style];
    return { thinking, text: (delta) => timeline.append(kind, delta), end: () => Promise.resolve() };
  }
  const sections = new ReactSections();
  const show = async (deltas: ReturnType<ReactSections["push"]>) => {
    for (const { section, delta } of deltas) {
      await timeline.append(section === "thought" ? "thought" : "answer", delta);
    }
  };
  return { thinking, text: (delta) => show(sections.push(delta)), end: () => show(sections.end()) };
}
