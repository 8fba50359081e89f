import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { ScenarioRandom } from "./scenario-random.ts";

/** What an investigation does: `turns` times an LLM answer with a tool call, then the final answer. */
interface CaseShape {
  readonly turns?: number;
  /** Duration of each LLM answer, in milliseconds. */
  readonly paceMs?: number;
  /** Additional text for the alert. */
  readonly words?: string;
  /**
   * `thinking` has six stages with one answer each and no tools; `parallel` has two concurrent agents; `asked` has a chat with
   * tools; `scored` is scored at its end; `leading` has an agent with sub-agents; `listed` has the tools of a real server.
   */
  readonly type?: "test" | "thinking" | "parallel" | "asked" | "scored" | "leading" | "limited" | "listed";
  /** The idempotency key of the submission. */
  readonly key?: string;
}

/** An alert and the id by which the checkers recognise it. */
interface NewCase {
  readonly caseId: string;
  readonly data: string;
}

/** The api answered with another status than 202. */
export class RefusedError extends Error {
  readonly status: number;

  constructor(status: number, body: string) {
    super(`the alert is answered with ${status}: ${body.slice(0, 200)}`);
    this.status = status;
  }
}

const parseAccepted = compileParser("accepted alert", Type.Object({ session_id: Type.String() }));

/** Sends alerts to the api and records which were accepted. */
export class AlertSender {
  readonly #api: string;
  readonly #random: ScenarioRandom;
  /** The case of every session whose alert was answered with 202, by session id. */
  readonly acked = new Map<string, string>();
  /** The status codes from 500 up that persistent submissions received. */
  readonly refusals: number[] = [];
  #cases = 0;

  /** `api` is the address of the api, e.g. http://127.0.0.1:8080. */
  constructor(api: string, random: ScenarioRandom) {
    this.#api = api;
    this.#random = random;
  }

  /** A new alert; `answerFromAlert` reads its text. */
  newCase({ turns = 4, paceMs = 100, words = "" }: CaseShape = {}): NewCase {
    this.#cases += 1;
    const caseId = `case-${this.#cases}`;
    return { caseId, data: `${caseId}. turns=${turns} pace=${paceMs} ${words}` };
  }

  /** Submits a new alert, records the 202 and resolves with the session's id. Throws RefusedError on another status. */
  async submit(shape: CaseShape = {}): Promise<string> {
    return this.submitCase(this.newCase(shape), shape);
  }

  /** Like `submit`, for an alert that may have been submitted before. */
  async submitCase({ caseId, data }: NewCase, { type = "test", key }: CaseShape = {}): Promise<string> {
    const response = await fetch(`${this.#api}/api/v1/alerts`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key === undefined ? {} : { "idempotency-key": key }),
      },
      body: JSON.stringify({ data, alert_type: type }),
    });
    const text = await response.text();
    if (response.status !== 202) throw new RefusedError(response.status, text);
    const { session_id: sessionId } = parseAccepted(JSON.parse(text));
    this.acked.set(sessionId, caseId);
    return sessionId;
  }

  /** Submits one new alert with one idempotency key until it is accepted. Throws RefusedError on a status below 500. */
  async submitPersistently(shape: CaseShape, signal?: AbortSignal): Promise<string> {
    const alert = this.newCase(shape);
    const key = randomUUID();
    for (;;) {
      try {
        return await this.submitCase(alert, { ...shape, key });
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof RefusedError && error.status < 500) throw error;
        if (error instanceof RefusedError) this.refusals.push(error.status);
        await wait(this.#random.between(50, 300));
      }
    }
  }

  async submitMany(count: number, shape: CaseShape = {}): Promise<string[]> {
    return Promise.all(Array.from({ length: count }, () => this.submit(shape)));
  }
}
