/** The token between executors and gateways that tests start. */
export const TEST_GATEWAY_TOKEN = "token-of-the-tests-0123456789";
