/** The close codes that the notifier sends. The `ws` library sends others for violations of the protocol. */
export const CLOSE_CODES = {
  goingAway: 1001,
  policyViolation: 1008,
  unauthenticated: 4401,
  tooSlow: 4008,
} as const;
