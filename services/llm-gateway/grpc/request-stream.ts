import type { ServerHttp2Stream } from "node:http2";
import { Duplex } from "node:stream";
import type { ServerInterceptingCallInterface } from "@grpc/grpc-js";
import { TerminalError } from "#shared/errors.ts";

/**
 * The HTTP/2 stream of a call. grpc-js shows a request only when it has received all of it, so a limit for requests that are
 * being received needs the stream below. Throws TerminalError if grpc-js keeps it elsewhere than in the tested version.
 */
export function requestStream(call: ServerInterceptingCallInterface): ServerHttp2Stream {
  const stream: unknown = Reflect.get(call, "stream");
  if (isHttp2Stream(stream)) return stream;
  throw new TerminalError("internal", "grpc-js does not show the stream of a call: use the locked version");
}

function isHttp2Stream(value: unknown): value is ServerHttp2Stream {
  return value instanceof Duplex && "rstCode" in value && "respond" in value;
}
