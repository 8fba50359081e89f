import { TerminalError } from "#shared/errors.ts";
import { envRequired, type Environment, secretVariable } from "#shared/service/environment.ts";

/** The metadata of a call with the token of the llm-gateway: `Bearer <token>`. */
export const TOKEN_METADATA = "authorization";

const TOKEN = /^[\x21-\x7E]{16,512}$/u;

/** LLM_GATEWAY_TOKEN, by which the llm-gateway knows its callers; required. */
export function gatewayToken(env: Environment): string {
  const token = envRequired(
    env,
    "LLM_GATEWAY_TOKEN",
    "set the same random text for the llm-gateway and the executors: `npm start` and deploy/make-env.sh make one",
  );
  return checked("LLM_GATEWAY_TOKEN", token);
}

/** The tokens that the llm-gateway accepts: LLM_GATEWAY_TOKEN and, while tokens are replaced, LLM_GATEWAY_PREVIOUS_TOKEN. */
export function acceptedGatewayTokens(env: Environment): readonly string[] {
  const previous = secretVariable(env, "LLM_GATEWAY_PREVIOUS_TOKEN");
  return [gatewayToken(env), ...(previous === "" ? [] : [checked("LLM_GATEWAY_PREVIOUS_TOKEN", previous)])];
}

function checked(name: string, token: string): string {
  if (TOKEN.test(token)) return token;
  // The value is a secret, so it is not repeated.
  throw new TerminalError(
    "invalid_environment",
    `environment variable ${name} is not a token: it must have 16 to 512 printable ASCII characters without spaces`,
  );
}
