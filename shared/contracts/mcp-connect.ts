import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { jsonCodec } from "#shared/contracts/json-codec.ts";

/** The time in which an administrator has to agree at the authorization server. */
export const CONNECT_MINUTES = 10;

/** The longest work on such a request: everything that it asks servers for, within their connect timeout. */
export const CONNECT_TIMEOUT_MS = 60_000;

/** Where the authorization server sends the browser back to, below the api's public address. */
export const CALLBACK_PATH = "/api/v1/oauth/callback";

/** `message`: one sentence without a secret. */
const Refused = Type.Object({ kind: Type.Literal("refused"), message: Type.String() });

/** api → tool-runner: begin to connect an MCP server whose `auth` is `oauth`. */
const ConnectRequest = Type.Object({ server: Type.String(), redirect_uri: Type.String() });
const ConnectReply = Type.Union([
  Type.Object({ kind: Type.Literal("started"), authorization_url: Type.String() }),
  Refused,
]);
export type ConnectReply = Static<typeof ConnectReply>;

/** api → tool-runner: what the authorization server said to the browser. */
const CallbackRequest = Type.Object({
  state: Type.String(),
  code: Type.String(),
  iss: Type.Optional(Type.String()),
});
export type CallbackRequest = Static<typeof CallbackRequest>;
const CallbackReply = Type.Union([
  Type.Object({ kind: Type.Literal("connected"), server: Type.String() }),
  Refused,
]);
export type CallbackReply = Static<typeof CallbackReply>;

export const connectCodecs = {
  request: jsonCodec("connect request", ConnectRequest),
  reply: jsonCodec("connect reply", ConnectReply),
};
export const callbackCodecs = {
  request: jsonCodec("connect callback", CallbackRequest),
  reply: jsonCodec("connect callback reply", CallbackReply),
};
