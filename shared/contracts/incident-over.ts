/** The reason why a session was cancelled that an alert ended, and not a person. */
export const INCIDENT_OVER = "cancelled because the incident is over: an alert reported it as resolved";
