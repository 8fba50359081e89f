import { errorMessage } from "#shared/errors.ts";

interface Cause {
  /** SQLSTATEs, and codes of Node.js and OpenSSL. */
  readonly codes?: readonly string[];
  readonly message?: RegExp;
  readonly remedy: string;
}

/** The first one that fits counts. Where a server has one code for several causes, its message decides. */
const CAUSES: readonly Cause[] = [
  {
    message: /unsupported startup parameter: (?:options|search_path)/iu,
    remedy: "PgBouncer refuses it: remove options from the URL, or add it to its ignore_startup_parameters",
  },
  {
    message: /unsupported startup parameter/iu,
    remedy: "add the parameter to ignore_startup_parameters of PgBouncer",
  },
  {
    message: /wrong password type|server login failed/iu,
    remedy:
      "the pooler cannot log in to Postgres: its auth_type and the passwords in its auth_file must fit the roles' passwords (scram-sha-256)",
  },
  {
    message: /client password must be a string/iu,
    remedy: "the server asks for a password: put one into the URL",
  },
  {
    codes: ["28P01"],
    message: /password authentication failed|SASL authentication failed/iu,
    remedy:
      "correct the password in the URL, or give the role this one (`database-init` does); a password that is stored as md5 is refused where pg_hba.conf asks for scram-sha-256, until it is set again",
  },
  {
    message:
      /no pg_hba\.conf entry.*(?:no encryption|SSL off)|SSL (?:connection )?is required|SSL required/iu,
    remedy:
      "the server may accept this user with TLS only: add sslmode=require or verify-full to the URL, else a line to pg_hba.conf",
  },
  {
    message: /pg_hba\.conf/iu,
    remedy: "add a line for this user, database and address to pg_hba.conf of the server",
  },
  {
    message: /role "[^"]*" does not exist|no such user/iu,
    remedy: "create the role (`database-init` does), or correct the user in the URL",
  },
  { message: /not permitted to log in/iu, remedy: "allow it: ALTER ROLE … LOGIN" },
  {
    codes: ["3D000"],
    message: /no such database/iu,
    remedy:
      "create it (CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0), or correct its name in the URL",
  },
  {
    codes: ["53300"],
    message: /no more connections allowed/iu,
    remedy: "raise max_connections, run fewer replicas, or put a pooler in front of Postgres",
  },
  {
    message: /permission denied for schema/iu,
    remedy:
      "make the role of `migrate` the owner of the database (ALTER DATABASE … OWNER TO …; `database-init` does), or GRANT USAGE, CREATE ON SCHEMA … TO it",
  },
  {
    message: /permission denied for database/iu,
    remedy: "GRANT CONNECT ON DATABASE … TO the role, and CREATE to that of `migrate`",
  },
  {
    message: /must be (?:the )?owner of/iu,
    remedy:
      "run `migrate` with the role that owns TARSy's tables, or run `database-init`, which gives them to tarsy_owner",
  },
  {
    codes: ["42501"],
    remedy:
      "give the role this privilege: `migrate`, run as the owner of the tables, does for the services' roles",
  },
  {
    codes: ["25006"],
    remedy: "the server is a standby, or read-only: the URL must lead to the primary",
  },
  {
    message: /server does not support SSL/iu,
    remedy: "the server has no TLS: switch it on there, or use sslmode=prefer or disable",
  },
  {
    codes: [
      "SELF_SIGNED_CERT_IN_CHAIN",
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
      "UNABLE_TO_GET_ISSUER_CERT",
      "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
      "CERT_HAS_EXPIRED",
    ],
    remedy: "its certificate cannot be verified: name the CA's file with sslrootcert",
  },
  {
    codes: ["ERR_TLS_CERT_ALTNAME_INVALID"],
    remedy: "its certificate is for another name: use that name in the URL, or sslmode=verify-ca",
  },
  {
    message: /requires a valid client certificate/iu,
    remedy: "name the files of the client's certificate and key with sslcert and sslkey",
  },
  {
    message: /max clients reached|max_client_conn|query_wait_timeout/iu,
    remedy:
      "the pooler has no connection left: raise its pool size or its limit of clients, or run fewer replicas",
  },
  { codes: ["CERT_NOT_YET_VALID"], remedy: "its certificate is not valid yet: correct the clocks" },
  { codes: ["53100"], remedy: "the disk of the server is full: make room there" },
  {
    codes: ["ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"],
    message: /due to connection timeout/iu,
    remedy:
      "the server does not answer: check host and port, and that firewalls and network policies let it be reached",
  },
  { codes: ["ECONNREFUSED"], remedy: "nothing listens there: check host and port, and that the server runs" },
  { codes: ["ENOTFOUND"], remedy: "the host name is unknown: correct it in the URL" },
  { codes: ["EAI_AGAIN"], remedy: "the host name cannot be resolved right now" },
  {
    codes: ["ENOENT", "ENOTDIR"],
    remedy:
      "there is no socket: `host` must be a directory of unix_socket_directories, and the port that of the server",
  },
  { codes: ["EACCES"], remedy: "this process may not use the socket" },
];

/** What a database says, with its remedy where one is known: for logs and health. A password is never part of it. */
export function explainDatabaseError(error: unknown): string {
  const message = errorMessage(error);
  const found = causeOf(error, message);
  return found === undefined ? message : `${message}: ${found.remedy}`;
}

/** For the end of a program: the error with its remedy in the message, or the same one where none is known. */
export function withRemedy(error: unknown): Error {
  const message = explainDatabaseError(error);
  const isSame = message === errorMessage(error);
  return isSame && error instanceof Error ? error : new Error(message, { cause: error });
}

function causeOf(error: unknown, message: string): Cause | undefined {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const found = CAUSES.find(
    ({ codes = [], message: pattern }) => codes.includes(code) || pattern?.test(message) === true,
  );
  if (found !== undefined) return found;
  // A name with several addresses has an error for each.
  const inner: unknown[] = error instanceof AggregateError ? error.errors : [];
  return inner.map((one) => causeOf(one, errorMessage(one))).find((one) => one !== undefined);
}
