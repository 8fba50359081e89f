import type { Action } from "#shared/access/authorize.ts";
import type { Caller } from "../../http/caller.ts";
import type { ClaimedEvent } from "../events/event-store.ts";
import type { SlackDeed } from "../events/external-event.ts";

/** An event whose author is known. */
export interface Deed<D extends SlackDeed = SlackDeed> {
  readonly event: ClaimedEvent;
  readonly deed: D;
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

/** What was done, once it is committed and the event is settled. */
export interface Done {
  readonly action: Action;
  readonly sessionId?: string;
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
}

/** A deed that is not done; its author reads why. */
export class DeedRefused extends Error {
  readonly status = 403;
  readonly action: Action;
  readonly sessionId: string | undefined;

  constructor(action: Action, why: string, { sessionId }: { readonly sessionId?: string } = {}) {
    super(why);
    this.action = action;
    this.sessionId = sessionId;
  }
}
