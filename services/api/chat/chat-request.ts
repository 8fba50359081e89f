import { Type } from "#shared/generated/typebox/typebox.mjs";
import { bodyReader } from "../http/body-reader.ts";
import { RequestError } from "../http/request-error.ts";
import { MAX_QUESTION_CHARACTERS } from "../schemas/chat.ts";

/** The texts for a missing or a too long question are those that clients know, so they are not the schema's. */
const readBody = bodyReader(
  Type.Object({ content: Type.Optional(Type.Union([Type.String(), Type.Null()])) }),
);

/** Reads the question from a decoded body; unknown fields are ignored. Throws RequestError 400. */
export function parseQuestion(body: unknown): string {
  const content = readBody(body).content ?? "";
  if (content.trim() === "") throw new RequestError(400, "content is required");
  if (Array.from(content).length > MAX_QUESTION_CHARACTERS) {
    throw new RequestError(
      400,
      `content exceeds maximum length of ${MAX_QUESTION_CHARACTERS.toLocaleString("en-US")} characters`,
    );
  }
  return content;
}
