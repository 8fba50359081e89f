import { Type } from "#shared/generated/typebox/typebox.mjs";
import { SocketMessage } from "#shared/contract-view/socket-message.ts";
import { CLIENT_MESSAGES, NOTIFIER_MESSAGES } from "#shared/contracts/socket-messages.ts";

const { channel } = CLIENT_MESSAGES.unsubscribe.properties;

/** The messages that clients send on `/api/v1/ws`, by the name of the message: they subscribe without a cursor. */
export const DIALECT_CLIENT_MESSAGES = {
  ...CLIENT_MESSAGES,
  subscribe: Type.Object({ action: Type.Literal("subscribe"), channel }),
};

const { connectionEstablished, catchupOverflow, pong, error } = NOTIFIER_MESSAGES;

/** The messages that the notifier sends on `/api/v1/ws`, by the name of the message. */
export const DIALECT_MESSAGES = {
  connectionEstablished,
  subscriptionConfirmed: Type.Object({
    type: Type.Literal("subscription.confirmed"),
    channel: Type.String(),
  }),
  subscriptionError: Type.Object({
    type: Type.Literal("subscription.error"),
    channel: Type.String(),
    message: Type.String(),
  }),
  catchupOverflow,
  pong,
  error,
  sessionMessage: SocketMessage,
};
