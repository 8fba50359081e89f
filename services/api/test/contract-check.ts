import type { IncomingMessage, ServerResponse } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { closedSchema } from "./closed-schema.ts";
import { SCREEN_PATH } from "../page/serve-page.ts";

/** A response as it was sent. */
interface Observed {
  readonly method: string;
  /** With the query. */
  readonly url: string;
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

type Json = Readonly<Record<string, unknown>>;

/** The document, and what checks the bodies that it describes, by the place of their schema. */
interface Contract {
  readonly document: Json;
  readonly ajv: Ajv2020;
  readonly validators: Map<string, ValidateFunction>;
}

/** The test files of a process check the same documents. */
const contracts = new Map<string, Contract>();

function contractOf(document: unknown): Contract {
  const text = JSON.stringify(document);
  const known = contracts.get(text);
  if (known !== undefined) return known;
  const ajv = new Ajv2020({ strict: false, allErrors: false, formats: { "date-time": DATE_TIME } });
  const closed = member({ it: closedSchema(document) }, "it");
  ajv.addSchema({ ...closed, $id: "openapi:" });
  const contract = { document: closed, ajv, validators: new Map<string, ValidateFunction>() };
  contracts.set(text, contract);
  return contract;
}

/** What a request without a route may be answered with; 204 is the answer to a preflight. */
const UNROUTED = new Set([204, 400, 401, 403, 404, 405, 421, 429]);

/** Holds responses against the OpenAPI document: status, media type and body, without members that it does not name. */
export class ContractCheck {
  readonly #contract: Contract;
  readonly #paths: readonly { readonly template: string; readonly pattern: RegExp }[];
  /** What was seen of each operation: `GET /health 200`. */
  readonly seen = new Set<string>();
  readonly problems: string[] = [];

  /** `document` is that of the running version. */
  constructor(document: unknown) {
    this.#contract = contractOf(document);
    this.#paths = Object.keys(member(this.#contract.document, "paths"))
      // A route with fewer parameters stands before one whose parameter would match the same text.
      .sort((one, other) => one.split("{").length - other.split("{").length)
      .map((template) => ({
        template,
        pattern: new RegExp(`^${template.replaceAll(".", "\\.").replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "u"),
      }));
  }

  /** Checks each response of a server; what is wrong is added to `problems`. */
  watch(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    const keep = (chunk: unknown) => {
      if (typeof chunk === "string" || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
    };
    const write = response.write.bind(response);
    const end = response.end.bind(response);
    response.write = (...args: unknown[]) => {
      keep(args[0]);
      return Boolean(Reflect.apply(write, undefined, args));
    };
    response.end = (...args: unknown[]) => {
      keep(args[0]);
      Reflect.apply(end, undefined, args);
      return response;
    };
    response.once("finish", () =>
      this.check({
        method: request.method ?? "",
        url: request.url ?? "",
        status: response.statusCode,
        type: String(response.getHeader("content-type") ?? ""),
        body: decoded(Buffer.concat(chunks), response.getHeader("content-encoding")).toString("utf8"),
      }),
    );
  }

  /** Checks one response. */
  check(observed: Observed): void {
    const problem = this.#problemOf(observed);
    if (problem === undefined) return;
    const { method, url, status, body } = observed;
    this.problems.push(`${method} ${url.slice(0, 120)} ${status}: ${problem}\n${body.slice(0, 500)}`);
  }

  #problemOf({ method, url, status, type, body }: Observed): string | undefined {
    const { document } = this.#contract;
    if (method === "OPTIONS") return undefined;
    const path = /^[^?]*/u.exec(url)?.[0] ?? "";
    if (isPage(path, type)) return undefined;
    const found = this.#paths.find(({ pattern }) => pattern.test(path))?.template;
    const asked = method === "HEAD" ? "get" : method.toLowerCase();
    const operation = found === undefined ? {} : member(member(document, "paths"), found, asked);
    if (found === undefined || operation["responses"] === undefined) {
      return UNROUTED.has(status) ? undefined : "the document has no such operation";
    }
    this.seen.add(`${asked.toUpperCase()} ${found} ${status}`);
    const pointer = ["paths", found, asked, "responses", String(status)];
    const response = member(document, ...pointer);
    const { $ref } = response;
    const target = typeof $ref === "string" ? $ref.slice(2).split("/") : pointer;
    if (Object.keys(response).length === 0) return "the document does not have this status";
    if (method === "HEAD") return undefined;
    const content = member(document, ...target, "content");
    if (Object.keys(content).length === 0) return body === "" ? undefined : "there must be no body";
    const media = type.split(";", 1)[0] ?? "";
    if (content[media] === undefined) return `the document does not have the content type '${media}'`;
    return media === "application/json"
      ? this.#violation([...target, "content", media, "schema"], body)
      : undefined;
  }

  #violation(pointer: readonly string[], body: string): string | undefined {
    const $ref = `openapi:#/${pointer.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`;
    const { ajv, validators } = this.#contract;
    const validate = validators.get($ref) ?? ajv.compile({ $ref });
    validators.set($ref, validate);
    const value: unknown = JSON.parse(body);
    if (validate(value)) return undefined;
    return (
      ajv.errorsText(validate.errors?.slice(-3), { dataVar: "body", separator: "; " }) +
      JSON.stringify(validate.errors?.at(-1)?.params)
    );
  }
}

/** True for the page, which is not a part of the API, and for what a browser shows of a sign-in that is refused. */
function isPage(path: string, type: string): boolean {
  if (path.startsWith("/api/v1/auth/")) return type.startsWith("text/html");
  return path.startsWith("/assets/") || SCREEN_PATH.test(path);
}

function decoded(bytes: Buffer, encoding: unknown): Buffer {
  if (encoding === "br") return brotliDecompressSync(bytes);
  return encoding === "gzip" ? gunzipSync(bytes) : bytes;
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/u;

/** A member of nested objects; empty if one of them does not exist. */
function member(object: Json, ...path: readonly string[]): Json {
  let inner: unknown = object;
  for (const key of path) {
    inner = typeof inner === "object" && inner !== null ? { ...inner }[key] : undefined;
  }
  return typeof inner === "object" && inner !== null ? { ...inner } : {};
}
