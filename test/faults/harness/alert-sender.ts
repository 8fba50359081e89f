import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Chance } from "./chance.ts";

/** What an investigation does: `turns` times a model's answer and a tool call, then the last answer. */
export interface CaseShape {
  readonly turns?: number;
  /** How long the model takes for each answer, in milliseconds. */
  readonly paceMs?: number;
  /** Further words for the alert. */
  readonly words?: string;
  /** `thinking` has six stages of one answer each, without a tool; `parallel` two agents beside each other. */
  readonly type?: "test" | "thinking" | "parallel";
  /** The client's own key of the submission. */
  readonly key?: string;
}

/** An alert and the name by which the oracles know it. */
export interface NewCase {
  readonly caseId: string;
  readonly data: string;
}

/** The api answered, and it was no 202. */
export class RefusedError extends Error {
  readonly status: number;

  constructor(status: number, body: string) {
    super(`the alert is answered with ${status}: ${body.slice(0, 200)}`);
    this.status = status;
  }
}

const parseAccepted = compileParser("accepted alert", Type.Object({ session_id: Type.String() }));

/** Sends alerts as users do, and remembers what was promised to them. */
export class AlertSender {
  readonly #api: string;
  readonly #random: Chance;
  /** Every alert that was answered with 202: its session and its case. */
  readonly acked = new Map<string, string>();
  /** The status of every answer of 500 and above to a persistent submission. */
  readonly refusals: number[] = [];
  #cases = 0;

  /** `api` is the address of the api, e.g. http://127.0.0.1:8080. */
  constructor(api: string, random: Chance) {
    this.#api = api;
    this.#random = random;
  }

  /** An alert of its own; see `planOf` for what its words do. */
  newCase({ turns = 4, paceMs = 100, words = "" }: CaseShape = {}): NewCase {
    this.#cases += 1;
    const caseId = `case-${this.#cases}`;
    return { caseId, data: `${caseId}. turns=${turns} pace=${paceMs} ${words}` };
  }

  /** Submits an alert, notes the 202 and resolves with the session's id. Rejects when it is not accepted. */
  async submit(shape: CaseShape = {}): Promise<string> {
    return this.submitCase(this.newCase(shape), shape);
  }

  /** The same for a case that may have been submitted before. */
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

  /** Submits one case under a key of its own until it is accepted, whatever breaks meanwhile. */
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
