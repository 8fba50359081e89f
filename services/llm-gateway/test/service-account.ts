import { generateKeyPairSync } from "node:crypto";

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2_048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});

/** Credentials of a Google service account whose key signs its own tokens: no server is asked for one. */
export const SERVICE_ACCOUNT = JSON.stringify({
  type: "service_account",
  project_id: "other-project",
  private_key_id: "key-1",
  private_key: privateKey,
  client_email: "tarsy@p1.iam.gserviceaccount.com",
  client_id: "1",
  token_uri: "https://oauth2.googleapis.com/token",
});
