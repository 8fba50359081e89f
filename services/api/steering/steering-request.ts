import { createHash, randomUUID } from "node:crypto";
import { uuidFrom } from "#shared/uuid-from.ts";
import type { SteeringMode } from "#shared/contracts/statuses.ts";
import { bodyReader } from "../http/body-reader.ts";
import { RequestError, validationError } from "../http/request-error.ts";
import { SteeringBody } from "./contract.ts";

/** What a person tells the agents of a session. */
export interface SteeringRequest {
  readonly mode: SteeringMode;
  readonly content: string | null;
  /** Null for all agents that run. */
  readonly executionId: string | null;
}

const readBody = bodyReader(SteeringBody);

/** Reads a decoded body; unknown fields are ignored, and blank content is none. Throws RequestError 400 naming the field. */
export function parseSteering(body: unknown): SteeringRequest {
  const { mode, content = null, execution_id = null } = readBody(body);
  const text = content === null || content.trim() === "" ? null : content;
  if (mode === "note" && text === null) {
    throw validationError(
      "content",
      "is required for mode note, and must have a character other than white space",
    );
  }
  if (mode === "skip_tool" && text !== null) {
    throw validationError("content", "is not allowed for mode skip_tool");
  }
  return { mode, content: text, executionId: execution_id };
}

/** Of a request with `Idempotency-Key`, so that its repetition is the same message. */
export interface SteeringKey {
  readonly messageId: string;
  readonly requestHash: string | null;
}

const VISIBLE_ASCII = /^[!-~]{1,255}$/u;

/** The id of the message, which derives from the header `Idempotency-Key` if there is one. Throws RequestError 400 for a bad one. */
export function steeringKey(
  header: string | string[] | undefined,
  sessionId: string,
  author: string,
  request: SteeringRequest,
): SteeringKey {
  if (header === undefined) return { messageId: randomUUID(), requestHash: null };
  if (!VISIBLE_ASCII.test(String(header))) {
    throw new RequestError(
      400,
      "header Idempotency-Key must be 1 to 255 visible ASCII characters without a space, e.g. a UUID",
    );
  }
  return {
    messageId: uuidFrom(`steering:${JSON.stringify([author, String(header)])}`, sessionId),
    requestHash: createHash("sha256").update(JSON.stringify(request)).digest("hex"),
  };
}
