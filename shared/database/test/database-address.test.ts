import { expect } from "chai";
import { connectClient } from "#shared/database/connection/connect-client.ts";
import { databaseAddress } from "#shared/database/connection/database-address.ts";
import { explainDatabaseError } from "#shared/database/connection/explain-database-error.ts";
import { databaseUrl } from "#shared/service/service-config.ts";

const problem = (url: string): string => {
  const read = databaseAddress(url);
  return typeof read === "string" ? read : "";
};
const clientOf = (url: string) => {
  const read = databaseAddress(url);
  if (typeof read === "string") throw new Error(read);
  return { ...read.client, place: read.place };
};

describe("the URL of a database", () => {
  it("is read as libpq reads it", () => {
    expect(clientOf("postgresql://own:p%40w@db.example:6432/o%20w")).to.include({
      user: "own",
      password: "p@w",
      host: "db.example",
      port: 6432,
      database: "o w",
      place: "db.example:6432",
    });
    expect(clientOf("POSTGRES://h")).to.include({ host: "h", place: "h:5432" });
    expect(clientOf("postgres://[::1]:5433/d")).to.include({ host: "::1", place: "[::1]:5433" });
    expect(clientOf("postgres://u@h/d?password=p&dbname=e&port=1&application_name=a")).to.include({
      password: "p",
      database: "e",
      port: 1,
      application_name: "a",
    });
    expect(clientOf("postgres://h/d?options=-c%20geqo%3Doff")).to.include({ options: "-c geqo=off" });
    expect(clientOf("postgres://h/d?channel_binding=prefer&target_session_attrs=read-write")).to.include({
      enableChannelBinding: true,
    });
  });

  it("may have the white space around it that files and secrets have", () => {
    expect(clientOf(" postgres://app:pw@h/db\n")).to.include({ host: "h", database: "db", password: "pw" });
  });

  it("may name the directory of a socket", () => {
    const socket = { host: "/run/pg", place: "/run/pg (port 5433)", user: "own", database: "owned" };
    expect(clientOf("postgresql://own:pw@/owned?host=/run/pg&port=5433")).to.include(socket);
    expect(clientOf("postgresql://own:pw@%2Frun%2Fpg:5433/owned")).to.include(socket);
    expect(clientOf("postgresql:///owned?host=%2Frun%2Fpg&user=own&port=5433")).to.include(socket);
  });

  it("has the hint to encode what stands unencoded in a password, and no part of it is repeated", () => {
    for (const url of [
      "postgres://app:Xy7@ss/w#rd@h/db",
      "postgres://app:Xy7/rd@h/db",
      "postgres://app:77/Xy@h/db",
      "postgres://app:Xy7#rd@h/db",
      "postgres://app:77#Xy@h/db",
      "postgres://app:Xy7?rd@h/db",
      "postgres://app:77?Xy@h/db",
      "postgres://app:Xy%7@h/db",
      "postgres://app:Xy7@h:x/db",
    ]) {
      expect(problem(url), url).to.include("percent-encoded").and.not.match(/Xy|77/u);
      expect(() => databaseUrl({ DATABASE_URL: url }), url).to.throw(
        "environment variable DATABASE_URL is not a valid URL; a password",
      );
    }
    expect(problem("mysql://h/d")).to.include("must start with postgres://");
    expect(() => databaseUrl({ A: "postgres://h:x/" }, "A")).to.throw(
      "environment variable A is not a valid",
    );
  });

  it("is refused with a reason for what TARSy does not do", () => {
    const refusals: Readonly<Record<string, string>> = {
      "postgres://a:1,b:2/d": "names several hosts",
      "postgres:///d?host=a,b": "names several hosts",
      "postgres://h/d?target_session_attrs=standby": "the server must be the primary",
      "postgres://h/d?sslmode=on": "it may be disable, allow, prefer, require, verify-ca, verify-full",
      "postgres://h/d?sslmode=verify-ca": "without sslrootcert",
      "postgres://h/d?sslmode=require&sslrootcert=system": "needs sslmode=verify-full",
      "postgres://h/d?sslmode=require&sslrootcert=/none.pem":
        "has an sslrootcert whose file /none.pem cannot",
      "postgres://h/d?sslmode=require&sslcert=/none.pem": "needs both",
      "postgres://h/d?channel_binding=require": "needs TLS",
      "postgres://h/d?channel_binding=must": "it may be disable, prefer, require",
      "postgres://h/d?connect_timeout=soon": "connect_timeout",
      "postgres://h/d?client_encoding=latin1": "TARSy sends UTF-8",
      "postgres://h/d?pgbouncer=true": "has the parameter pgbouncer, which is not supported",
      "postgres://h/d?hostaddr=1.2.3.4": "has the parameter hostaddr",
    };
    for (const [url, part] of Object.entries(refusals)) expect(problem(url), url).to.include(part);
  });

  it("has the modes of TLS with libpq's meaning", () => {
    const tlsOf = (query: string) => {
      const read = databaseAddress(`postgres://h/d?${query}`);
      return typeof read === "string" ? read : read.tls;
    };
    const encrypted = { rejectUnauthorized: false };
    expect(tlsOf("")).to.deep.equal([undefined]);
    expect(tlsOf("sslmode=disable")).to.deep.equal([false]);
    expect(tlsOf("sslmode=allow")).to.deep.equal([false, encrypted]);
    expect(tlsOf("sslmode=prefer")).to.deep.equal([encrypted, false]);
    expect(tlsOf("sslmode=require")).to.deep.equal([encrypted]);
    expect(tlsOf("ssl=true")).to.deep.equal([encrypted]);
    expect(tlsOf("sslmode=verify-full")).to.deep.equal([{}]);
    expect(tlsOf("host=/run/pg&sslmode=require")).to.deep.equal([false]);
  });

  it("has the limit of a connection in seconds", async () => {
    const read = databaseAddress("postgres://h/d?connect_timeout=30");
    expect(read).to.have.property("connectMs", 30_000);
    expect(databaseAddress("postgres://h/d?connect_timeout=0")).to.have.property("connectMs", 5_000);
    const refused = connectClient("postgres://u:p@/d?host=/nowhere").catch((error: unknown) => error);
    expect(await refused).to.have.property("code", "ENOENT");
  });
});

describe("what a database or a pooler says", () => {
  for (const [message, code, remedy] of [
    ["connect ETIMEDOUT 192.0.2.1:5432", "ETIMEDOUT", "does not answer"],
    ["Connection terminated due to connection timeout", "", "does not answer"],
    ["MaxClientsInSessionMode: max clients reached", "XX000", "pool size"],
    ["query_wait_timeout", "08P01", "pool size"],
    ["connection requires a valid client certificate", "28000", "sslcert"],
    ["certificate is not yet valid", "CERT_NOT_YET_VALID", "clocks"],
    ["could not extend file: No space left on device", "53100", "disk"],
  ] as const) {
    it(`has its remedy: ${message}`, () => {
      expect(explainDatabaseError(Object.assign(new Error(message), { code }))).to.include(remedy);
    });
  }
});
