import type { ApiRequest } from "#shared/client/api-types.ts";

/** What is to differ in a fork, as the form has it; empty texts change nothing. */
export interface ForkDraft {
  /** The end of the step from which the fork goes on; undefined until the steps are known. */
  readonly atSeq: number | undefined;
  readonly provider: string;
  readonly model: string;
  readonly instructions: string;
  readonly maxIterations: string;
  /** In place of the newest result of a tool; undefined if that stays. */
  readonly result: string | undefined;
  readonly tools: "recorded" | "live";
}

export const UNCHANGED: ForkDraft = {
  atSeq: undefined,
  provider: "",
  model: "",
  instructions: "",
  maxIterations: "",
  result: undefined,
  tools: "recorded",
};

type ForkBody = NonNullable<ApiRequest<"POST /api/v1/sessions/:id/fork">["body"]>;

/** The request for a draft; `interactionId` is the record of the result that it may replace. */
export function forkBody(draft: ForkDraft, interactionId: string | undefined): ForkBody {
  const { atSeq, provider, model, instructions, maxIterations, result, tools } = draft;
  return {
    ...(atSeq === undefined ? {} : { at_seq: atSeq }),
    changes: {
      ...(provider === "" ? {} : { llm_provider: provider }),
      ...(model.trim() === "" ? {} : { model: model.trim() }),
      ...(instructions.trim() === "" ? {} : { custom_instructions: instructions }),
      ...(maxIterations.trim() === "" ? {} : { max_iterations: Number(maxIterations) }),
      ...(result === undefined || interactionId === undefined
        ? {}
        : { tool_result: { interaction_id: interactionId, content: result } }),
    },
    tools,
  };
}

export type ForkField =
  | "atSeq"
  | "provider"
  | "model"
  | "instructions"
  | "maxIterations"
  | "result"
  | "tools";

/** By the name that the API gives a field. */
const FIELDS: Readonly<Record<string, ForkField>> = {
  at_seq: "atSeq",
  llm_provider: "provider",
  model: "model",
  custom_instructions: "instructions",
  max_iterations: "maxIterations",
  tool_result: "result",
  tools: "tools",
};
const NAME = /\b(?:at_seq|llm_provider|model|custom_instructions|max_iterations|tool_result|tools)\b/u;

/** The field that an error of the API is about: the one that it names first; undefined if it names none. */
export function forkField(message: string): ForkField | undefined {
  return FIELDS[NAME.exec(message)?.[0] ?? ""];
}
