import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A request that the host received. */
interface SeenRequest {
  readonly host: string;
  readonly path: string;
  readonly authorization: string | undefined;
}

/** An HTTPS server on this machine that stands for several hosts, with a certificate made for it. */
export class HttpsHost implements AsyncDisposable {
  readonly #server: Server;
  readonly ca: string;
  readonly port: number;
  readonly seen: SeenRequest[];

  private constructor(server: Server, ca: string, port: number, seen: SeenRequest[]) {
    this.#server = server;
    this.ca = ca;
    this.port = port;
    this.seen = seen;
  }

  static async start(
    names: readonly string[],
    answer: (request: IncomingMessage, response: ServerResponse) => void,
  ): Promise<HttpsHost> {
    const { key, cert } = await makeCertificate(names);
    const seen: SeenRequest[] = [];
    const server = createServer({ key, cert }, (request, response) => {
      const { host = "", authorization } = request.headers;
      seen.push({ host, path: request.url ?? "", authorization });
      answer(request, response);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the server has no port");
    return new HttpsHost(server, cert, address.port, seen);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** A key and a certificate that no authority knows. */
export async function makeCertificate(names: readonly string[]): Promise<{ key: string; cert: string }> {
  const directory = await mkdtemp(join(tmpdir(), "tarsy-certificate-"));
  try {
    const [key, cert] = ["key.pem", "cert.pem"].map((name) => join(directory, name));
    if (key === undefined || cert === undefined) throw new Error("two files are needed");
    const alternatives = names.map((name) => `DNS:${name}`).join(",");
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    const { status, stderr } = spawnSync(
      "openssl",
      ["req", "-x509", ...curve, "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=tests"].concat([
        "-addext",
        `subjectAltName=${alternatives}`,
      ]),
      { encoding: "utf8" },
    );
    if (status !== 0) throw new Error(`openssl made no certificate: ${stderr}`);
    return { key: await readFile(key, "utf8"), cert: await readFile(cert, "utf8") };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
