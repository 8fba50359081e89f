import { createHash } from "node:crypto";
import type { Static } from "typebox";
import type { ToolsMode } from "#shared/contracts/recorded-tools.ts";
import { isTemplate } from "#shared/contracts/text-template.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { bodyReader } from "../http/body-reader.ts";
import { validationError } from "../http/request-error.ts";
import { ForkBody, type ForkChanges } from "./contract.ts";

/** A fork as it was asked for. */
export interface ForkRequest {
  /** Absent: the end of the last step, or the step of the edited call. */
  readonly atSeq: number | undefined;
  readonly changes: ForkChanges;
  readonly tools: ToolsMode;
}

const readBody = bodyReader(ForkBody);

/** Reads a decoded body. Throws RequestError 400 naming the field. */
export function parseForkRequest(body: unknown): ForkRequest {
  const { at_seq, changes = {}, tools = "recorded" }: Static<typeof ForkBody> = readBody(body);
  const { model, custom_instructions: instructions, tool_result: edited } = changes;
  // A name is compared with others: it is refused where a text would be changed.
  if (model !== undefined && postgresSafeText(model).changed) {
    throw validationError("changes.model", "has a character that cannot be stored");
  }
  if (instructions !== undefined && isTemplate(instructions)) {
    throw validationError(
      "changes.custom_instructions",
      "must not have '{{': only the configuration inserts variables",
    );
  }
  if (edited !== undefined && (edited.call_id === undefined) === (edited.interaction_id === undefined)) {
    throw validationError("changes.tool_result", "must have either call_id or interaction_id");
  }
  return { atSeq: at_seq, changes, tools };
}

/** SHA-256 in hex of a request, by which its repetition with the same idempotency key is recognised. */
export function hashForkRequest(sessionId: string, { atSeq, changes, tools }: ForkRequest): string {
  const { llm_provider, model, custom_instructions, max_iterations, tool_result } = changes;
  const parts = [
    ["fork", sessionId, atSeq ?? null, tools],
    [llm_provider ?? null, model ?? null, custom_instructions ?? null, max_iterations ?? null],
    [tool_result?.call_id ?? null, tool_result?.interaction_id ?? null, tool_result?.content ?? null],
  ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
