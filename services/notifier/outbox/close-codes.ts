/** The close codes that the notifier sends. The `ws` library sends others for violations of the protocol. */
export const CLOSE_CODES = {
  goingAway: 1001,
  policyViolation: 1008,
  unauthenticated: 4401,
  tooSlow: 4008,
} as const;

/** Causes after which a client may connect again and go on where it was. */
export type ResumableClose = "goingAway" | "unauthenticated" | "tooSlow";

/** The texts of the close reasons, which may have at most 123 bytes. */
type CloseReasons = Readonly<Record<ResumableClose, string>>;

/** The reasons of `/ws`, whose clients resume with `after_seq`. */
export const EXACT_REASONS: CloseReasons = {
  goingAway: "the server is stopping: reconnect and subscribe with after_seq = your last seq",
  unauthenticated:
    "the credential has expired: connect again with a new one and subscribe with after_seq = your last seq",
  tooSlow: "reading too slowly: reconnect and subscribe with after_seq = the last seq you have",
};

/** The reasons of `/api/v1/ws`, whose clients subscribe without a cursor and send a catchup behind it. */
export const DIALECT_REASONS: CloseReasons = {
  goingAway:
    "the server is stopping: reconnect, subscribe and send catchup with last_event_id = your last db_event_id",
  unauthenticated:
    "the credential has expired: connect with a new one, subscribe and send catchup with your last db_event_id",
  tooSlow:
    "reading too slowly: reconnect, subscribe and send catchup with last_event_id = your last db_event_id",
};
