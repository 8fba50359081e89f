import type { Recipient } from "./claim-notifications.ts";
import type { Notification } from "./notification.ts";

/** How an attempt to tell someone ended. Errors are texts for operators, without secrets. */
export type Delivery =
  /** It was received; `receipt` says where, for later notifications and for people. */
  | { readonly outcome: "sent"; readonly receipt: Readonly<Record<string, string | number>> }
  /** It may be received later. */
  | {
      readonly outcome: "failed";
      readonly error: string;
      /** When the receiver asks to be tried again, in milliseconds from now. */
      readonly retryAfterMs?: number;
      /** It may have been received all the same. */
      readonly isUnsure: boolean;
    }
  /** There is nothing to say there. */
  | { readonly outcome: "dropped"; readonly error: string }
  /** The receiver will never take this one. */
  | { readonly outcome: "refused"; readonly error: string }
  /** The receiver wants nothing any more. */
  | { readonly outcome: "gone"; readonly error: string };

/** An attempt of which it is not known whether it was received. */
export interface Attempt {
  /** An earlier attempt may have been received. */
  readonly isUnsure: boolean;
}

/** A receiver of notifications. */
export interface Destination extends Recipient {
  /** Never rejects but for the signal's reason. */
  deliver(notification: Notification, attempt: Attempt, signal: AbortSignal): Promise<Delivery>;
}
