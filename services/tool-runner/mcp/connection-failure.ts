import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { errorMessage } from "#shared/errors.ts";
import { statusFailure } from "./http/http-failure.ts";
import { McpFailure } from "./mcp-failure.ts";
import { INVALID_ANSWER_CODE } from "./unanswered-requests.ts";
import { TOO_LARGE_CODE } from "./stdio/stdio-transport.ts";
import type { ServerSettings } from "./server-settings.ts";

/** The failure of a listing or call; an error whose reason is not known may have come after the call began. */
export function asFailure(error: unknown, signal: AbortSignal): McpFailure {
  if (error instanceof McpFailure) return error;
  if (signal.aborted) {
    return new McpFailure("aborted", "maybe", errorMessage(signal.reason), { cause: error });
  }
  if (error instanceof ProtocolError && error.code === TOO_LARGE_CODE) {
    return new McpFailure("too_large", "maybe", error.message, { cause: error });
  }
  if (error instanceof ProtocolError && error.code === INVALID_ANSWER_CODE) {
    return new McpFailure("invalid_answer", "maybe", error.message, { cause: error });
  }
  if (error instanceof ProtocolError) {
    return new McpFailure("protocol_error", "answered", error.message, { code: error.code, cause: error });
  }
  if (!SdkError.isInstance(error)) {
    const isBefore = error instanceof Error && error.message === "Not connected";
    return new McpFailure("closed", isBefore ? "no" : "maybe", errorMessage(error), { cause: error });
  }
  const refused = ofStatus(error);
  if (refused !== undefined) return refused;
  switch (error.code) {
    case SdkErrorCode.NotConnected:
      return new McpFailure("closed", "no", error.message, { cause: error });
    case SdkErrorCode.InvalidResult:
    case SdkErrorCode.ClientHttpUnexpectedContent:
      return new McpFailure("invalid_answer", "maybe", error.message, { cause: error });
    case SdkErrorCode.UnsupportedResultType:
      return new McpFailure(
        "input_required",
        "answered",
        "the server asks for input, which cannot be given here",
        { cause: error },
      );
    case SdkErrorCode.ClientHttpAuthentication:
    case SdkErrorCode.ClientHttpForbidden:
      return new McpFailure("unauthorized", "no", error.message, { cause: error });
    default:
      return new McpFailure("closed", "maybe", error.message, { cause: error });
  }
}

/** The failure of an attempt to connect; `timeout` is the signal of its time limit. */
export function unreachable(
  error: unknown,
  { id, connectTimeoutMs }: ServerSettings,
  timeout: AbortSignal,
): McpFailure {
  const failure = failureIn(error);
  if (failure?.kind === "unauthorized") return failure;
  const why = timeout.aborted
    ? `no handshake within ${connectTimeoutMs / 1_000} s`
    : (failure?.message ?? errorMessage(error));
  return new McpFailure("unreachable", "no", `${id} cannot be reached: ${why}`, { cause: error });
}

/** Our own failure that the library has wrapped. */
function failureIn(error: unknown, depth = 0): McpFailure | undefined {
  if (error instanceof McpFailure) return error;
  if (!(error instanceof Error) || depth > 5) return undefined;
  return ofStatus(error) ?? failureIn(error.cause, depth + 1);
}

/** The failure of a request whose status the library has made an error of. */
function ofStatus(error: unknown): McpFailure | undefined {
  if (!SdkHttpError.isInstance(error) || typeof error.status !== "number") return undefined;
  return statusFailure({ status: error.status, headers: new Headers() }, false);
}
