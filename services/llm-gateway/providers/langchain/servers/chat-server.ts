import type { JsonObject } from "#shared/json-object.ts";

/** In what a server of chat completions differs from OpenAI's. */
export interface ChatServer {
  /** Its address without a base_url. */
  readonly url: string;
  /**
   * Which reasoning it wants back, always that before tool calls: of the current round, of all rounds, or none, because it
   * refuses the field.
   */
  readonly reasoning: "round" | "all" | "none";
  /** True if it refuses `stream_options` and reports usage without. */
  readonly refusesStreamOptions?: boolean;
  /** Changes a request; `plain` is true after it has refused the reasoning in one. */
  readonly adaptRequest?: (request: JsonObject, plain: boolean) => JsonObject;
  /** Changes a chunk of an answer before the common repairs. */
  readonly adaptChunk?: (chunk: JsonObject) => JsonObject;
}
