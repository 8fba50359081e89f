import { Agent, fetch } from "undici";
import { plainError } from "../../../errors/web-page.ts";
import { errorCode, recordBody } from "../../../recordings/record-body.ts";
import { beginRecord } from "../../../recordings/recording-scope.ts";
import { currentAside, type AnswerAside } from "../answer-aside.ts";
import { MAX_EVENT_LENGTH } from "../../../sse/parse-sse.ts";
import { rewriteSse, type RepairEvent } from "../response/rewrite-sse.ts";

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

interface ProviderFetchOptions {
  /** Removes the header with the key, for a server that needs none; the SDK always sets one. */
  readonly withoutKey?: boolean;
  /** Changes the body of a request. */
  readonly rewrite?: (body: string) => string;
  /** Changes the body of an error response. */
  readonly repairError?: (body: string) => string;
}

/** The call's own limits of silence apply: the client's would end it after five minutes without a byte. */
const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
/** Of an error body; its message is cut to 2,000 code units anyway. */
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * fetch for the SDKs: follows no redirect (the header with the key would go along), bounds what the SDKs buffer, and
 * repairs the events of an answer. `openRepair` is called once per answer.
 */
export function providerFetch(
  openRepair: (aside: AnswerAside) => RepairEvent,
  options: ProviderFetchOptions = {},
): Fetch {
  return async (input, init) => {
    const aside = currentAside();
    const { method = "GET", body: bodyOut = "", signal = null } = init ?? {};
    if (input instanceof Request || typeof bodyOut !== "string") {
      throw new TypeError("the SDK must call fetch with an address and a text");
    }
    const headersOut = new Headers(init?.headers);
    if (options.withoutKey === true) headersOut.delete("authorization");
    const sent = options.rewrite?.(bodyOut) ?? bodyOut;
    const record = beginRecord(() => ({ method, url: String(input), headers: [...headersOut], body: sent }));
    const response = await fetch(input, {
      method,
      headers: [...headersOut],
      ...(method === "GET" ? {} : { body: sent }),
      signal,
      redirect: "manual",
      dispatcher,
    }).catch((error: unknown) => {
      record?.end(signal?.aborted === true ? "left" : "failed", errorCode(error));
      throw error;
    });
    const { status, statusText } = response;
    const headers = [...response.headers];
    // The body has been decompressed.
    record?.response(
      status,
      headers.filter(([name]) => name !== "content-encoding"),
    );
    if (response.body === null) {
      record?.end("complete");
      return new Response(null, { status, statusText, headers });
    }
    const received = record === undefined ? response.body : recordBody(response.body, record, signal);
    const body = response.ok
      ? received.pipeThrough(rewriteSse(openRepair(aside), MAX_EVENT_LENGTH, () => aside.heard()))
      : received
          .pipeThrough(firstBytes(MAX_ERROR_BYTES))
          .pipeThrough(rewriteWhole((text) => plainError(text) ?? options.repairError?.(text) ?? text));
    return new Response(body, { status, statusText, headers });
  };
}

/** Passes a whole body on, changed; the body must be bounded. */
function rewriteWhole(change: (body: string) => string): TransformStream<Uint8Array, Uint8Array> {
  const pieces: Uint8Array[] = [];
  return new TransformStream({
    transform: (bytes) => void pieces.push(bytes),
    flush: (controller) => controller.enqueue(Buffer.from(change(Buffer.concat(pieces).toString("utf8")))),
  });
}

function firstBytes(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let left = maxBytes;
  return new TransformStream({
    transform: (bytes, controller) => {
      controller.enqueue(bytes.subarray(0, left));
      left -= Math.min(left, bytes.length);
      if (left === 0) controller.terminate();
    },
  });
}
