import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { jwtVerify } from "jose";
import { listen } from "#shared/service/listen.ts";

export const CLIENT_ID = "tarsy-runner";
export const TOKEN = "access-token-";
export const CLIENT_SECRET = "the-client-secret";

/** An authorization server that gives tokens TOKEN with 1, 2 and so on at their ends to clients that prove who they are. */
export async function startAuthorizationServer(): Promise<AuthorizationServer & AsyncDisposable> {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const state = { given: 0, refuses: false, expiresIn: 3_600 };
  const headers: string[] = [];
  const server = createServer((request, response) => {
    const answer = (status: number, body: object) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    const handle = async () => {
      headers.push(...request.rawHeaders.filter((_header, index) => index % 2 === 0));
      if (request.url === "/.well-known/oauth-authorization-server") {
        answer(200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          response_types_supported: ["code"],
          grant_types_supported: ["client_credentials"],
          token_endpoint_auth_methods_supported: ["client_secret_basic", "private_key_jwt"],
        });
        return;
      }
      if (request.url !== "/token") {
        answer(404, {});
        return;
      }
      const form = new URLSearchParams(await text(request));
      const isKnown = await isClient(request.headers.authorization ?? "", form, issuer, publicKey);
      if (state.refuses || !isKnown || form.get("grant_type") !== "client_credentials") {
        answer(401, { error: "invalid_client", error_description: "who are you?" });
        return;
      }
      state.given += 1;
      const token = `${TOKEN}${state.given}`;
      answer(200, { access_token: token, token_type: "Bearer", expires_in: state.expiresIn });
    };
    void handle().catch(() => response.destroy());
  });
  await listen(server, { host: "127.0.0.1", port: 0 });
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  return {
    issuer,
    state,
    headers,
    privateKey: String(privateKey.export({ type: "pkcs8", format: "pem" })),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface AuthorizationServer {
  readonly issuer: string;
  /** `given`: how many tokens; `expiresIn` in seconds. */
  readonly state: { given: number; refuses: boolean; expiresIn: number };
  /** The names of the headers it was sent. */
  readonly headers: readonly string[];
  /** Of the client, as PEM, for ES256. */
  readonly privateKey: string;
}

async function isClient(
  authorization: string,
  form: URLSearchParams,
  issuer: string,
  key: KeyObject,
): Promise<boolean> {
  const basic = Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString("base64");
  if (authorization === `Basic ${basic}`) return true;
  const assertion = form.get("client_assertion") ?? "";
  const options = { issuer: CLIENT_ID, subject: CLIENT_ID, audience: [issuer, `${issuer}/token`] };
  return jwtVerify(assertion, key, options).then(
    () => true,
    () => false,
  );
}
