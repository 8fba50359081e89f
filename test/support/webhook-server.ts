import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { text as readText } from "node:stream/consumers";

/** A request as it was received. */
export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly path: string;
  /** When it was read. */
  readonly atMs: number;
}

/** The answer to a request; `cut` closes the connection without one. */
type WebhookAnswer =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
      /** Resolves when it is to be sent; at once without it. */
      readonly when?: () => Promise<unknown>;
    }
  | "cut";

/** A receiver of webhooks on a free port of 127.0.0.1. */
export class WebhookServer implements AsyncDisposable {
  readonly #server = createServer((request, response) => {
    const answer = async () => {
      const body = await readText(request);
      this.received.push({ headers: request.headers, body, path: request.url ?? "", atMs: Date.now() });
      const next = this.#answers.shift() ?? { status: 204 };
      if (next !== "cut") await next.when?.();
      if (next === "cut") response.destroy();
      else response.writeHead(next.status, next.headers).end(next.body);
    };
    answer().catch((error: unknown) => response.destroy(new Error("the receiver failed", { cause: error })));
  });
  readonly #answers: WebhookAnswer[] = [];
  readonly received: ReceivedWebhook[] = [];
  url = "";

  static async open(): Promise<WebhookServer> {
    const receiver = new WebhookServer();
    receiver.#server.listen(0, "127.0.0.1");
    await once(receiver.#server, "listening");
    const address = receiver.#server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    receiver.url = `http://127.0.0.1:${address.port}/hook`;
    return receiver;
  }

  /** The next requests are answered like this, all others with 204. */
  answer(...answers: readonly WebhookAnswer[]): void {
    this.#answers.push(...answers);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

/** True if one of the signatures is right, as receivers check it (https://www.standardwebhooks.com). */
export function isSigned({ headers, body }: ReceivedWebhook, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/u, ""), "base64");
  const content = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
  const expected = `v1,${createHmac("sha256", key).update(content, "utf8").digest("base64")}`;
  return String(headers["webhook-signature"]).split(" ").includes(expected);
}
