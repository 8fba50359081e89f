/** The value for the requester of a scoring that follows the end of a session by itself. */
export const SCORED_BY_ITSELF = "auto";
