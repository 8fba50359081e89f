/** The metadata of a call with the token of the llm-gateway: `Bearer <token>`. */
export const TOKEN_METADATA = "authorization";

/** In the gateway's initial metadata: the format of the calls that it reads. A gateway that sends none reads format 1. */
export const CALL_FORMAT_METADATA = "tarsy-call-format";

/** Format 2: a call names its provider; format 1 named address and credential. */
export const CALL_FORMAT = "2";
