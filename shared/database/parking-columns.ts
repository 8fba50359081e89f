/** The columns of `session_runtime` that say that a session is asked to park. */
export const PARK_REQUEST_COLUMNS = [
  "park_requested_at",
  "park_by",
  "park_actor",
  "park_reason",
  "park_until",
] as const;

/** What api and executors write about parking. */
export const PARKING_COLUMNS = [...PARK_REQUEST_COLUMNS, "parked_at", "resumed_at", "parkings"] as const;

/**
 * True for a parked session `r` that goes on as soon as there is a place for it: it was parked for a critical one, a person has resumed
 * it, or its longest time is over.
 */
export const WAITS_FOR_PLACE =
  "(r.parked_at IS NOT NULL AND (r.park_until IS NULL OR r.park_until <= clock_timestamp()))";
