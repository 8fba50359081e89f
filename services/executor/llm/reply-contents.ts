import { storableText } from "#shared/storable-text.ts";
import { parseReact } from "../react-parser/parse-react.ts";
import type { CallLlm } from "../controllers/controller.ts";
import type { LlmReply } from "./call-llm.ts";
import type { StreamKind } from "../persist/timeline-writer.ts";

/**
 * What a complete reply puts into each timeline row, in the rows' order. The complete text is the authority: it replaces
 * what was streamed, and a row that it has nothing for was streamed in error.
 */
export function replyContents(step: CallLlm, reply: LlmReply): ReadonlyMap<StreamKind, string> {
  const contents = new Map<StreamKind, string>();
  const put = (kind: StreamKind, content: string) => {
    if (content !== "") contents.set(kind, storableText(content).text);
  };
  put("thinking", reply.thinking);
  switch (step.style) {
    case "final-answer":
      put("answer", reply.text === "" && step.thinkingMayAnswer ? reply.thinking : reply.text);
      return contents;
    case "native":
      put("response", reply.text);
      return contents;
    case "react": {
      const { thought, isFinalAnswer, finalAnswer } = parseReact(reply.text);
      put("thought", thought);
      if (step.interaction === "forced_conclusion") put("answer", finalAnswer || thought || reply.text);
      else if (isFinalAnswer) put("answer", finalAnswer);
      return contents;
    }
    default:
      return step.style satisfies never;
  }
}
