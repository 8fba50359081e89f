import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { listen } from "#shared/service/listen.ts";
import { PermanentError, until } from "../../../test/support/until.ts";
import { WebhookResponse } from "../webhooks/contract.ts";
import { parseAlertmanager } from "../webhooks/alertmanager-request.ts";
import type { ApiFixture } from "./api-fixture.ts";
import { TOKEN } from "./webhook-bodies.ts";

const PATH = "/api/v1/webhooks/alertmanager";
const parseAnswer = compileParser("webhook response", WebhookResponse);
type Answer = ReturnType<typeof parseAnswer>;

/** A notification of Alertmanager, and the api's answer to it. */
interface Exchange {
  readonly alertname: string;
  readonly alerts: ReturnType<typeof parseAlertmanager>["alerts"];
  /** Undefined while there is no api. */
  readonly status: number | undefined;
  /** Of status 202. */
  readonly answer: Answer | undefined;
}

/** Stands between an Alertmanager and the api: passes notifications on, and keeps them with the answers. */
export class NotificationRelay implements AsyncDisposable {
  readonly #server: Server;
  readonly #exchanges: Exchange[] = [];
  #problem: string | undefined;
  /** Without an api, connections of Alertmanager are cut. */
  api: ApiFixture | undefined;
  /** Alertmanager does not get the next answer. */
  doLoseAnswer = false;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#pass(request, response).catch(() => response.destroy());
    });
  }

  static async start(api?: ApiFixture): Promise<NotificationRelay> {
    const relay = new NotificationRelay();
    relay.api = api;
    await listen(relay.#server, { host: "127.0.0.1", port: 0 });
    return relay;
  }

  /** What an Alertmanager needs to send to this relay. */
  get receiver(): { readonly url: string; readonly token: string } {
    const address = this.#server.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    return { url: `http://127.0.0.1:${port}${PATH}`, token: TOKEN };
  }

  /** The notifications of a group, in the order of their answers. */
  of(alertname: string): readonly Exchange[] {
    return this.#exchanges.filter((exchange) => exchange.alertname === alertname);
  }

  /** The api's answers of status 202 to notifications of a group. */
  answersTo(alertname: string): readonly Answer[] {
    return this.of(alertname).flatMap(({ answer }) => answer ?? []);
  }

  /** Waits like `until`. Throws immediately after an answer that is neither 202 nor 503, which Alertmanager would not repeat. */
  async wait<T>(what: string, probe: () => T | Promise<T>) {
    return until(what, () => {
      if (this.#problem !== undefined) throw new PermanentError(this.#problem);
      return probe();
    });
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const body: unknown = await json(request);
    const { commonLabels, alerts } = parseAlertmanager(body);
    const notification = { alertname: commonLabels?.["alertname"] ?? "", alerts };
    if (this.api === undefined) {
      this.#exchanges.push({ ...notification, status: undefined, answer: undefined });
      return response.destroy();
    }
    const { status, text } = await this.api.raw("POST", PATH, {
      body: Buffer.from(JSON.stringify(body)),
      headers: { "content-type": "application/json", authorization: request.headers.authorization ?? "" },
    });
    const answer = status === 202 ? parseAnswer(JSON.parse(text)) : undefined;
    if (status !== 202 && status !== 503) this.#problem = `the api answers ${status}: ${text}`;
    const isLost = this.doLoseAnswer && answer !== undefined;
    if (isLost) this.doLoseAnswer = false;
    this.#exchanges.push({ ...notification, status, answer });
    return isLost ? response.destroy() : response.writeHead(status).end(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server.close(), "close");
    this.#server.closeAllConnections();
    await closed;
  }
}
