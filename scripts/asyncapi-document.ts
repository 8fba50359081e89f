import { DIALECT_CLIENT_MESSAGES, DIALECT_MESSAGES } from "#shared/contract-view/dialect-messages.ts";
import { CLIENT_MESSAGES, NOTIFIER_MESSAGES } from "#shared/contracts/socket-messages.ts";
import packageJson from "../package.json" with { type: "json" };
import { Components } from "../services/api/openapi/collect-components.ts";

/** The path of the document, relative to the checkout. */
export const ASYNCAPI_FILE = "docs/asyncapi.json";

type Messages = Readonly<Record<string, object>>;

/** A path of the notifier: the name of its channel, what clients send, and what they get. */
interface Socket {
  readonly channel: string;
  readonly address: string;
  readonly fromClient: Messages;
  readonly toClient: Messages;
}

const SOCKETS: readonly Socket[] = [
  { channel: "ws", address: "/ws", fromClient: CLIENT_MESSAGES, toClient: NOTIFIER_MESSAGES },
  {
    channel: "dialect",
    address: "/api/v1/ws",
    fromClient: DIALECT_CLIENT_MESSAGES,
    toClient: DIALECT_MESSAGES,
  },
];

/** The AsyncAPI 3 document of the notifier's sockets, made of the schemas of their messages. */
export function asyncApiDocument() {
  const components = new Components();
  const byPath = SOCKETS.map((socket) => describeSocket(socket, components));
  const merged = (part: "channels" | "operations" | "messages") =>
    Object.fromEntries(byPath.flatMap((described) => Object.entries<object>(described[part])));
  return {
    asyncapi: "3.0.0",
    info: {
      title: "TARSy",
      version: packageJson.version,
      description:
        "Sessions live over a WebSocket, without a missing or repeated event: docs/websocket-protocol.md.",
      license: { name: "Apache-2.0" },
    },
    defaultContentType: "application/json",
    servers: { notifier: { host: "localhost:8081", protocol: "ws" } },
    channels: merged("channels"),
    operations: merged("operations"),
    components: { messages: merged("messages"), schemas: components.all },
  };
}

function describeSocket({ channel, address, fromClient, toClient }: Socket, components: Components) {
  const componentOf = (name: string) => `${channel}.${name}`;
  const operation = (action: "receive" | "send", messages: Messages) => ({
    action,
    channel: { $ref: `#/channels/${channel}` },
    messages: Object.keys(messages).map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` })),
  });
  const all = Object.entries({ ...fromClient, ...toClient });
  return {
    channels: {
      [channel]: {
        address,
        messages: Object.fromEntries(
          all.map(([name]) => [name, { $ref: `#/components/messages/${componentOf(name)}` }]),
        ),
      },
    },
    operations: {
      [`${channel}.fromClient`]: operation("receive", fromClient),
      [`${channel}.toClient`]: operation("send", toClient),
    },
    messages: Object.fromEntries(
      all.map(([name, schema]) => [componentOf(name), { name, payload: components.use(schema) }]),
    ),
  };
}
