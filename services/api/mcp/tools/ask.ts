import { Uuid } from "#shared/contracts/uuid.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { ApiDeps } from "../../api-deps.ts";
import { MAX_QUESTION_CHARACTERS } from "../../chat/contract.ts";
import { openQuestions } from "../../chat/open-questions.ts";
import { defineTool, resultOf } from "../tool.ts";

/** Asks about an investigation that has ended. */
export const askTool = (deps: ApiDeps) => {
  const ask = openQuestions(deps);
  return defineTool(deps, {
    action: "session.chat",
    scope: "write",
    name: "ask",
    description:
      "Ask the agents about an investigation that has ended; they can use its tools again. The answer is in get_investigation with wait_seconds.",
    annotations: {
      title: "Ask about an investigation",
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
    },
    input: Type.Object({
      session_id: Uuid,
      question: Type.String({ minLength: 1, maxLength: MAX_QUESTION_CHARACTERS }),
    }),
    run: async ({ session_id, question }, call) => {
      const { message_id } = await ask(call.caller, session_id, () => ({ content: question }));
      return resultOf({ session_id, message_id, status: "asked" });
    },
  });
};
