import { isJsonObject, type JsonObject } from "#shared/json-object.ts";
import { Components } from "../../services/api/openapi/collect-components.ts";
import type { Endpoint } from "../../services/api/http/endpoint.ts";

/** The client itself, as its sources declare it; the routes follow. */
const CLIENT = `/** The body with which a route answers when it succeeds; undefined if it has none. */
export type ApiResponse<R extends ApiRoute> = Routes[R]["response"];

/** The parts of a request of a route. */
export interface ApiRequest<R extends ApiRoute> {
  /** The values of the path's parameters. */
  readonly params?: Routes[R]["params"];
  readonly query?: Routes[R]["query"];
  readonly body?: Routes[R]["body"];
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Statuses of failure whose body the contract describes: it is the answer then. */
  readonly accepts?: readonly number[];
}

/** The api over HTTP. */
export declare class ApiClient {
  readonly url: string;
  constructor(options: {
    /** The address of the api, without a slash at the end. */
    readonly url: string;
    /** Sent with each request, such as { authorization: "Bearer …" }. */
    readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
    readonly silenceMs?: number;
  });
  /** Sends one request. Rejects with ApiFailure, or with the signal's reason. */
  call<R extends ApiRoute>(route: R, request?: ApiRequest<R>): Promise<ApiResponse<R>>;
}

/** A request that the api did not carry out. The message is a sentence for people. */
export declare class ApiFailure extends Error {
  /** Undefined if there was no answer. */
  readonly status: number | undefined;
  readonly allowed: readonly string[];
  readonly code: string | undefined;
}

/** A message of the notifier, as decoded JSON. */
export type NotifierMessage = Readonly<Record<string, unknown>>;

interface FollowOptions {
  /** The address of the notifier, or /ws of the api. */
  readonly url: string;
  readonly open?: (url: string) => WebSocket | Promise<WebSocket>;
  readonly onMessage: (message: NotifierMessage) => void;
  readonly pingMs?: number;
}

/** Follows a session to its end, through lost connections. */
export declare function followSession(
  options: FollowOptions & {
    readonly sessionId: string;
    readonly afterSeq?: number;
    readonly followsAll?: boolean;
    readonly onDisconnect?: (why: string) => void;
    readonly signal?: AbortSignal;
  },
): Promise<void>;

/** Follows the status of all visible sessions until the signal aborts. */
export declare function followFeed(
  options: FollowOptions & {
    readonly onLive: () => void;
    readonly onLost?: (why: string) => void;
    readonly signal: AbortSignal;
  },
): Promise<never>;

/** A route of the api, e.g. \`GET /api/v1/sessions/:id\`. */
export type ApiRoute = keyof Routes;
`;

/** The declarations of the client package, with plain types from the schemas of these endpoints. */
export function writeTypes(endpoints: readonly Endpoint[]): string {
  const components = new Components();
  const typeOf = (schema: unknown): string =>
    schema === undefined ? "undefined" : typeText(components.use(schema));
  const routes = endpoints.map(({ method, path, params, query, body, responses }) => {
    const answers = Object.values(responses).map(({ schema }) => typeOf(schema));
    const members = {
      params: typeOf(params),
      query: query === undefined ? "undefined" : `Partial<${typeOf(query)}>`,
      body: typeOf(body?.schema),
      response: [...new Set(answers)].join(" | "),
    };
    const lines = Object.entries(members).map(([name, type]) => `    readonly ${name}: ${type};\n`);
    return `  readonly "${method.toUpperCase()} ${path}": {\n${lines.join("")}  };\n`;
  });
  const named = Object.entries(components.all).map(
    ([name, schema]) => `export type ${name} = ${typeText(schema)};\n`,
  );
  return [CLIENT, `interface Routes {\n${routes.join("")}}\n`, ...named].join("\n");
}

/** A JSON schema as a type. */
function typeText(schema: unknown): string {
  if (!isJsonObject(schema)) return "unknown";
  const { $ref, anyOf, allOf, type, items } = schema;
  if (typeof $ref === "string") return $ref.slice($ref.lastIndexOf("/") + 1);
  if ("const" in schema) return JSON.stringify(schema["const"]);
  if (Array.isArray(schema["enum"])) return union(schema["enum"].map((one) => JSON.stringify(one)));
  if (Array.isArray(anyOf)) return union(anyOf.map(typeText));
  if (Array.isArray(allOf)) return allOf.map(typeText).join(" & ");
  if (Array.isArray(type)) return union(type.map((one: unknown) => typeText({ ...schema, type: one })));
  switch (type) {
    case "integer":
    case "number":
      return "number";
    case "string":
    case "boolean":
    case "null":
      return type;
    case "array":
      return `readonly ${/^[\w"]+$/u.test(typeText(items)) ? typeText(items) : `(${typeText(items)})`}[]`;
    case "object":
      return objectText(schema);
    default:
      return "unknown";
  }
}

function objectText({ properties, required, additionalProperties }: JsonObject): string {
  const needed = new Set(Array.isArray(required) ? required : []);
  const members = Object.entries(isJsonObject(properties) ? properties : {}).map(
    ([name, schema]) => `readonly ${JSON.stringify(name)}${needed.has(name) ? "" : "?"}: ${typeText(schema)}`,
  );
  const others = isJsonObject(additionalProperties) ? typeText(additionalProperties) : "unknown";
  if (members.length === 0) return `Readonly<Record<string, ${others}>>`;
  return `{ ${members.join("; ")} }`;
}

function union(types: readonly string[]): string {
  return types.length === 0 ? "never" : [...new Set(types)].join(" | ");
}
