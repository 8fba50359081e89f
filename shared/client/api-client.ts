import { ApiFailure } from "#shared/client/api-failure.ts";
import type { ApiRequest, ApiResponse, ApiRoute } from "#shared/client/api-types.ts";

/** An answer without a byte for so long does not come; one that comes slowly is waited for, however long it takes. */
const SILENCE_MS = 30_000;

interface ApiClientOptions {
  /** The address of the api, without a slash at the end, e.g. `http://localhost:8080`. */
  readonly url: string;
  /** Sent with each request: what lets the client in. A function is asked for each one. */
  readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
  /** The time for which nothing may arrive before a request is given up. */
  readonly silenceMs?: number;
}

/** The api over HTTP, with the types of its contract. It needs nothing but `fetch`, so that it runs in browsers, too. */
export class ApiClient {
  readonly url: string;
  readonly #headers: () => Readonly<Record<string, string>>;
  readonly #silenceMs: number;

  constructor({ url, headers = {}, silenceMs = SILENCE_MS }: ApiClientOptions) {
    this.url = url;
    this.#headers = typeof headers === "function" ? headers : () => headers;
    this.#silenceMs = silenceMs;
  }

  /**
   * Sends one request; resolves with the decoded body, undefined for an answer without one. A newer api may answer with
   * members and values that the types do not name. Throws ApiFailure with the api's sentence, or without a status if there is
   * no answer, or nothing of it arrives for 30 s; and the signal's reason.
   */
  async call<R extends ApiRoute>(route: R, request: ApiRequest<R> = {}): Promise<ApiResponse<R>> {
    const [method = "", path = ""] = route.split(" ");
    const { params, query, body, headers, signal, accepts = [] } = request;
    const url = `${this.url}${withParams(path, params)}${queryText(query)}`;
    const silence = new SilenceLimit(this.#silenceMs);
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, {
        method,
        headers: {
          ...this.#headers(),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]),
      });
      text = await new Response(response.body?.pipeThrough(silence.watch()) ?? null).text();
    } catch (error) {
      signal?.throwIfAborted();
      throw new ApiFailure(`no answer from ${new URL(this.url).origin}`, { cause: error });
    } finally {
      silence.end();
    }
    const value = decode(text);
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

/** Aborts its signal once nothing has arrived for a while. */
class SilenceLimit {
  readonly #stop = new AbortController();
  readonly #ms: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number) {
    this.#ms = ms;
    this.#hear();
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Passes everything on; each part begins the time anew. */
  watch(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
    return new TransformStream({
      transform: (part, controller) => {
        this.#hear();
        controller.enqueue(part);
      },
    });
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #hear(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#stop.abort(), this.#ms);
  }
}

function decode(text: string): unknown {
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
