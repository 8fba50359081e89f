import { ApiFailure } from "#shared/client/api-failure.ts";
import type { ApiRequest, ApiResponse, ApiRoute } from "#shared/client/api-types.ts";

const TIMEOUT_MS = 30_000;

interface ApiClientOptions {
  /** Of the api, without a slash at the end, e.g. `http://localhost:8080`. */
  readonly url: string;
  /** Sent with each request: what lets the client in. A function is asked for each one. */
  readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
  readonly timeoutMs?: number;
}

/** The api over HTTP, with the types of its contract. It needs nothing but `fetch`, so that it runs in browsers, too. */
export class ApiClient {
  readonly url: string;
  readonly #headers: () => Readonly<Record<string, string>>;
  readonly #timeoutMs: number;

  constructor({ url, headers = {}, timeoutMs = TIMEOUT_MS }: ApiClientOptions) {
    this.url = url;
    this.#headers = typeof headers === "function" ? headers : () => headers;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Sends one request; resolves with the decoded body, undefined for an answer without one. A newer api may answer with
   * members and values that the types do not name. Throws ApiFailure with the api's sentence, or without a status if no api
   * answers within 30 s; and the signal's reason.
   */
  async call<R extends ApiRoute>(route: R, request: ApiRequest<R> = {}): Promise<ApiResponse<R>> {
    const [method = "", path = ""] = route.split(" ");
    const { params, query, body, headers, signal, accepts = [] } = request;
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    const url = `${this.url}${withParams(path, params)}${queryText(query)}`;
    let response: Response;
    try {
      response = await fetch(url, {
        method,
        headers: {
          ...this.#headers(),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw new ApiFailure(`no answer from ${new URL(this.url).origin}`, { cause: error });
    }
    const value = await decode(response);
    if (!response.ok && !accepts.includes(response.status)) throw failureOf(response.status, value);
    if (isAnswer<R>(value, response.status)) return value;
    throw new ApiFailure(`${this.url} does not answer with JSON: is it TARSy?`, { status: response.status });
  }
}

function withParams(path: string, params: object | undefined): string {
  const values = new Map<string, unknown>(Object.entries(params ?? {}));
  return path.replaceAll(/:(\w+)/gu, (_match, name: string) => encodeURIComponent(String(values.get(name))));
}

/** Lists become values with commas, and undefined is left out. */
function queryText(query: object | undefined): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) given.set(name, Array.isArray(value) ? value.join(",") : String(value));
  }
  return given.size === 0 ? "" : `?${given.toString()}`;
}

async function decode(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    const value: unknown = text === "" ? undefined : JSON.parse(text);
    return value;
  } catch {
    // Not JSON, so this is not the api; the caller reports it.
    return text;
  }
}

/** The api holds its answers against the contract; a client of another version must not be stricter than that. */
function isAnswer<R extends ApiRoute>(value: unknown, status: number): value is ApiResponse<R> {
  return value === undefined ? status === 204 : typeof value === "object" && value !== null;
}

function failureOf(status: number, value: unknown): ApiFailure {
  const body: Readonly<Record<string, unknown>> =
    typeof value === "object" && value !== null ? { ...value } : {};
  const { message, allowed, code } = body;
  return new ApiFailure(typeof message === "string" ? message : "the request was refused", {
    status,
    allowed: Array.isArray(allowed) ? allowed.map(String) : [],
    code: typeof code === "string" ? code : undefined,
  });
}
