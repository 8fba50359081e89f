/** A response of Bedrock with another status than 2xx. */
export class BedrockResponseError extends Error {
  readonly status: number;
  /** The name of the exception, e.g. ThrottlingException; empty if the response names none. */
  readonly type: string;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, fields: { type: string; message: string; retryAfterMs: number | undefined }) {
    super(fields.message);
    this.name = "BedrockResponseError";
    this.status = status;
    this.type = fields.type;
    this.retryAfterMs = fields.retryAfterMs;
  }
}
