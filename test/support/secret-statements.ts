import { createHash } from "node:crypto";

/** A secret as a tool may print it. */
interface SecretStatement {
  readonly name: string;
  readonly value: string;
  readonly text: string;
}

/** Random characters that are the same in every run. */
function random(seed: string, length: number, alphabet: string): string {
  let text = "";
  for (let round = 0; text.length < length; round += 1) {
    for (const byte of createHash("sha512").update(`${seed}:${round}`).digest()) {
      text += alphabet.charAt(byte % alphabet.length);
    }
  }
  return text.slice(0, length);
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ALPHANUMERIC = `${LETTERS}0123456789`;
const alphanumeric = (seed: string, length: number) => random(seed, length, ALPHANUMERIC);
const statement = (name: string, value: string, around: (value: string) => string): SecretStatement => ({
  name,
  value,
  text: around(value),
});
const pem = random("pem", 64, ALPHANUMERIC);

/** Thirty secrets, each in a statement of its own. */
export const SECRET_STATEMENTS: readonly SecretStatement[] = [
  statement("a short password", "Kx7!q", (value) => `password=${value}`),
  statement("a password in quotes with spaces", "correct horse battery", (value) => `password: '${value}'`),
  statement("a variable of Postgres", alphanumeric("pg", 12), (value) => `PGPASSWORD=${value}`),
  statement("a variable of a service", alphanumeric("db", 16), (value) => `export DB_PASSWORD=${value}`),
  statement("a key of AWS", alphanumeric("aws", 40), (value) => `AWS_SECRET_ACCESS_KEY=${value}`),
  statement(
    "the id of a key of AWS",
    `AKIA${random("akia", 16, "ABCDEFGHIJKLMNOP0123456789")}`,
    (value) => `using ${value} now`,
  ),
  statement("a token of GitHub", `ghp_${alphanumeric("gh", 36)}`, (value) => `cloned with ${value}`),
  statement("a token of Slack", `xoxb-1234-${alphanumeric("slack", 24)}`, (value) => `posted with ${value}`),
  statement("a key of OpenAI", `sk-proj-${alphanumeric("openai", 40)}1`, (value) => `calling with ${value}`),
  statement("a key of Google", `AIza${alphanumeric("google", 35)}`, (value) => `maps key ${value} used`),
  statement(
    "a JWT",
    `eyJ${alphanumeric("h", 20)}.eyJ${alphanumeric("p", 40)}.${alphanumeric("s", 43)}`,
    (value) => `session ${value} opened`,
  ),
  statement("a bearer token", alphanumeric("bearer", 24), (value) => `Authorization: Bearer ${value}`),
  statement(
    "basic credentials",
    Buffer.from(`ann:${alphanumeric("basic", 12)}`).toString("base64"),
    (value) => `authorization: Basic ${value}`,
  ),
  statement(
    "a password in a URL",
    alphanumeric("url", 14),
    (value) => `connecting to postgres://app:${value}@db.example:5432/shop`,
  ),
  statement(
    "a password in a URL of Redis",
    alphanumeric("redis", 14),
    (value) => `redis://:${value}@cache:6379/0 is down`,
  ),
  statement(
    "a token in a query",
    alphanumeric("query", 20),
    (value) => `GET /v1/pods?access_token=${value}&limit=5 200`,
  ),
  statement("a key in a header", alphanumeric("header", 20), (value) => `X-Api-Key: ${value}`),
  statement(
    "an option of a command",
    alphanumeric("option", 10),
    (value) => `running mysqldump --password ${value} shop`,
  ),
  statement(
    "an option with an equals sign",
    alphanumeric("equals", 10),
    (value) => `running psql --db-password=${value} shop`,
  ),
  statement("a secret of a client", alphanumeric("client", 20), (value) => `client_secret: ${value}`),
  statement(
    "a private key",
    pem,
    (value) => `-----BEGIN PRIVATE KEY-----\n${value}\n-----END PRIVATE KEY-----`,
  ),
  statement(
    "a key of SSH",
    pem.slice(1),
    (value) => `-----BEGIN OPENSSH PRIVATE KEY-----\n${value}\n-----END OPENSSH PRIVATE KEY-----`,
  ),
  statement(
    "a key of a kubeconfig",
    Buffer.from(alphanumeric("kube", 30)).toString("base64"),
    (value) => `client-key-data: ${value}`,
  ),
  statement("a token of a kubeconfig", alphanumeric("kubetoken", 9), (value) => `token: ${value}`),
  statement(
    "a connection string",
    alphanumeric("ado", 15),
    (value) => `Server=db;User Id=app;Password=${value};Encrypt=true`,
  ),
  statement(
    "an element of XML",
    alphanumeric("xml", 15),
    (value) => `<config><password>${value}</password></config>`,
  ),
  statement("a cookie", alphanumeric("cookie", 20), (value) => `Cookie: session=${value}`),
  statement("a token of GitLab", `glpat-${alphanumeric("gitlab", 20)}`, (value) => `pushed with ${value}`),
  statement(
    "a random key without a name",
    alphanumeric("entropy", 44),
    (value) => `loaded ${value} from disk`,
  ),
  statement("a key of Stripe", `sk_live_${alphanumeric("stripe", 23)}7`, (value) => `charged with ${value}`),
];

/** Whether a text has the secret, as it is or in base64. */
export function hasSecret(text: string, { value }: SecretStatement): boolean {
  if (text.includes(value)) return true;
  const encoded = Buffer.from(value).toString("base64").replace(/=+$/u, "");
  return encoded.length >= 12 && text.includes(encoded.slice(0, -1));
}
