/** The parties that ask a session to park: the api for a critical one that waits, or a person. */
export const PARKED_BY = ["priority", "operator"] as const;
export type ParkedBy = (typeof PARKED_BY)[number];
