import type { IncomingMessage } from "node:http";
import type { Identity } from "#shared/access/identity.ts";

/** Who does something, and for the audit log which session it is about. */
export interface Caller {
  readonly identity: Identity;
  /** The client's address, if it is known. */
  readonly peer: string | undefined;
  /** The protocol in which it is asked for; absent for the API itself. */
  readonly channel?: "mcp" | "slack" | undefined;
  /** Nothing was done yet: only a refusal is recorded. */
  isAsking?: boolean;
  sessionId?: string;
  /** What else the audit log has. */
  detail?: Readonly<Record<string, unknown>>;
}

const callers = new WeakMap<IncomingMessage, Caller>();

/** Notes who makes a request. */
export function setCaller(request: IncomingMessage, caller: Caller): Caller {
  callers.set(request, caller);
  return caller;
}

/** Who makes a request. Throws if its route was not authorized, which is a mistake of ours. */
export function callerOf({ req }: { readonly req: IncomingMessage }): Caller {
  const caller = callers.get(req);
  if (caller === undefined) throw new Error("the request was not authorized");
  return caller;
}

/** As which the audit log names a caller. */
export function auditedAs({ identity: { subject, via }, channel }: Pick<Caller, "identity" | "channel">) {
  return { subject, via: channel ?? via };
}
