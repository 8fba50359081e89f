import type { IncomingMessage } from "node:http";
import type { Identity } from "#shared/access/identity.ts";

/** Who makes a request, and for the audit log which session it is about. */
interface Caller {
  readonly identity: Identity;
  sessionId?: string;
  /** What else the audit log has. */
  detail?: Readonly<Record<string, unknown>>;
}

const callers = new WeakMap<IncomingMessage, Caller>();

/** Notes who makes a request. */
export function setCaller(request: IncomingMessage, identity: Identity): Caller {
  const caller = { identity };
  callers.set(request, caller);
  return caller;
}

/** Who makes a request. Throws if its route was not authorized, which is a mistake of ours. */
export function callerOf({ req }: { readonly req: IncomingMessage }): Caller {
  const caller = callers.get(req);
  if (caller === undefined) throw new Error("the request was not authorized");
  return caller;
}
