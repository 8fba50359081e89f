import { connect } from "node:net";
import { connectClient } from "#shared/database/connection/connect-client.ts";
import { databaseAddress } from "#shared/database/connection/database-address.ts";
import { explainDatabaseError } from "#shared/database/connection/explain-database-error.ts";
import { errorMessage } from "#shared/errors.ts";
import { LaunchError } from "./launch-error.ts";

const timeoutMs = 5_000;

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "the host name is unknown",
  EAI_AGAIN: "the host name cannot be resolved right now",
  ETIMEDOUT: "no answer",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
};

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return reasons[code] ?? errorMessage(error);
}

function parseUrl(name: string, text: string, protocols: readonly string[], example: string): URL {
  const url = URL.parse(text);
  if (url !== null && protocols.includes(url.protocol) && url.hostname !== "") return url;
  // The invalid part may be the password, so the URL is not repeated.
  throw new LaunchError(
    `${name} is not a URL of the form ${example}; correct it, or unset it to use the embedded server.`,
  );
}

/**
 * Checks that a connection to DATABASE_URL succeeds.
 * @throws LaunchError naming host, port, reason and remedy, never the password.
 */
export async function checkDatabaseUrl(text: string): Promise<void> {
  const address = databaseAddress(text);
  if (typeof address === "string") {
    throw new LaunchError(`DATABASE_URL ${address}; correct it, or unset it to use the embedded server.`);
  }
  try {
    const client = await connectClient(text);
    await client.end();
  } catch (error) {
    throw new LaunchError(
      `DATABASE_URL leads to ${address.place}, which cannot be used (${explainDatabaseError(error)}); correct that, or unset DATABASE_URL to use the embedded PostgreSQL.`,
    );
  }
}

async function firstLine(host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect({ host, port });
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    socket.setTimeout(timeoutMs, () => fail(new Error("no answer")));
    socket.setEncoding("utf8");
    socket.on("error", fail);
    socket.on("end", () => fail(new Error("it hung up")));
    socket.on("data", (chunk: string) => {
      text += chunk;
      if (!text.includes("\n") && text.length < 65_536) return;
      socket.destroy();
      resolve(text.split("\n", 1)[0] ?? "");
    });
  });
}

async function greet(url: URL): Promise<void> {
  const line = await firstLine(url.hostname, url.port === "" ? 4222 : Number(url.port));
  if (!line.startsWith("INFO {")) throw new Error("the program there is not a NATS server");
  const info: unknown = JSON.parse(line.slice("INFO ".length));
  const hasJetStream =
    typeof info === "object" && info !== null && "jetstream" in info && info.jetstream === true;
  if (!hasJetStream) throw new Error("that NATS server runs without JetStream");
}

/**
 * Checks that NATS_URL names a NATS server with JetStream; in a list of servers, at least one.
 * @throws LaunchError naming host, port, reason and remedy, never the password.
 */
export async function checkNatsUrl(text: string): Promise<void> {
  const urls = text
    .split(",")
    .map((part) => parseUrl("NATS_URL", part.trim(), ["nats:", "tls:"], "nats://host:4222"));
  const failures: string[] = [];
  for (const url of urls) {
    try {
      await greet(url);
      return;
    } catch (error) {
      failures.push(
        `${url.hostname}:${url.port === "" ? 4222 : url.port}, which cannot be used (${reasonOf(error)})`,
      );
    }
  }
  throw new LaunchError(
    `NATS_URL leads to ${failures.join(" and ")}; correct that, or unset NATS_URL to use the embedded NATS server.`,
  );
}
