/** The advisory lock under which sessions are chosen for places, and asked to give theirs up; any number that no other code uses. */
export const PLACES_LOCK = 7_035_001;
