import { GenerateRequest, type ConversationMessage } from "#shared/generated/llm/v1/llm.ts";

const EMPTY = GenerateRequest.fromJSON({});
const encodedMessages = new WeakMap<ConversationMessage, Uint8Array>();

/**
 * The bytes of a request. A message that an earlier call has sent is not encoded again: in protobuf, the bytes of a whole are those of
 * its parts, one after the other.
 */
export function encodeRequest(request: GenerateRequest): Buffer {
  const rest = GenerateRequest.encode({ ...request, messages: [] }).finish();
  return Buffer.concat([rest, ...request.messages.map(encodedMessage)]);
}

function encodedMessage(message: ConversationMessage): Uint8Array {
  const known = encodedMessages.get(message);
  if (known !== undefined) return known;
  const bytes = GenerateRequest.encode({ ...EMPTY, messages: [message] }).finish();
  encodedMessages.set(message, bytes);
  return bytes;
}
