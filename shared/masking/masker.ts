import { Worker } from "node:worker_threads";
import { TerminalError, errorMessage } from "#shared/errors.ts";
import { MaskContext, type MaskedValue } from "#shared/masking/mask-context.ts";
import { maskByRules } from "#shared/masking/mask-by-rules.ts";
import type { MaskedText } from "#shared/masking/mask-text.ts";
import type { MaskingRules } from "#shared/masking/masking-rules.ts";
import type { MaskingPattern } from "#shared/masking/patterns/built-in-patterns.ts";
import { formsOfSecrets, maskKnown } from "#shared/masking/patterns/known-values.ts";
import { maskForms } from "#shared/masking/patterns/mask-forms.ts";
import { maskSeen } from "#shared/masking/patterns/seen-values.ts";
import type { MaskJobResult, MaskWorkerData } from "#shared/masking/worker/mask-job.ts";

/** A short text is masked at once: sending it to the worker would take longer. */
const MAX_INLINE = 16 * 1024;
/** The worker is terminated without any progress for one to two of these. */
const STALL_MS = 10_000;
const WORKER_MEMORY_MIB = 1_024;
/** Texts that may wait for the worker at a time. */
const MAX_WAITING = 1_000;
/** The number of learned secrets that are kept, the latest ones: each costs a search in every text. */
const MAX_LEARNED = 64;
const NO_PATTERNS: ReadonlySet<MaskingPattern> = new Set();

interface MaskerOptions {
  /** Secrets of this process, masked everywhere (`knownSecrets`). */
  readonly known?: readonly string[];
  readonly stallMs?: number;
  readonly maxInline?: number;
}

interface MaskRequest {
  readonly rules: MaskingRules;
  /** The session's key; without it placeholders have no digits. */
  readonly key?: string | undefined;
  readonly seen?: readonly MaskedValue[] | undefined;
  /** The offsets at which newlines join parts that may have split a value. */
  readonly seams?: readonly number[] | undefined;
}

interface WaitingText extends MaskRequest {
  readonly text: string;
  readonly done: (masked: MaskedText) => void;
  readonly failed: (error: Error) => void;
}

/**
 * Masks texts: short ones at once, longer ones and those with patterns of the configuration in a worker thread, one after the
 * other. A worker that stops getting on is terminated and its text fails; what counts is progress, not the time that a long
 * text takes.
 */
export class Masker implements AsyncDisposable {
  readonly #ownSecrets: readonly string[];
  readonly #learned = new Set<string>();
  readonly #stallMs: number;
  readonly #maxInline: number;
  readonly #waiting: WaitingText[] = [];
  /** The forms of all secrets. */
  #known: readonly string[];
  /** Their version that the worker got last. */
  #sentToWorker: readonly string[] | undefined;
  #worker: Worker | undefined;
  #progress = new Int32Array(new SharedArrayBuffer(4));
  #current: WaitingText | undefined;
  #jobs = 0;
  #isClosed = false;

  constructor({ known = [], stallMs = STALL_MS, maxInline = MAX_INLINE }: MaskerOptions = {}) {
    this.#ownSecrets = known;
    this.#known = formsOfSecrets(known);
    this.#stallMs = stallMs;
    this.#maxInline = maxInline;
  }

  /** Masks this secret, too, from now on. */
  learn(secret: string): void {
    if (this.#learned.delete(secret)) {
      this.#learned.add(secret);
      return;
    }
    this.#learned.add(secret);
    const [oldest] = this.#learned;
    if (this.#learned.size > MAX_LEARNED && oldest !== undefined) this.#learned.delete(oldest);
    this.#known = formsOfSecrets([...this.#ownSecrets, ...this.#learned]);
  }

  /**
   * Resolves with the masked text; where the rules switch masking off, only the secrets of the process are masked. Rejects with TerminalError `masking_failed`, which says nothing about the text; the caller
   * must then withhold it.
   */
  async mask(text: string, request: MaskRequest): Promise<MaskedText> {
    const { enabled, custom } = request.rules;
    if (text.length <= this.#maxInline && (!enabled || custom.length === 0)) {
      return this.#maskHere(text, request);
    }
    if (this.#isClosed || this.#waiting.length >= MAX_WAITING) throw failure("no more texts are taken");
    const { promise, resolve: done, reject: failed } = Promise.withResolvers<MaskedText>();
    this.#waiting.push({ ...request, text, done, failed });
    this.#next();
    return promise;
  }

  /**
   * The text without the secrets of this process, `more` of them, what is a secret by its form, and values masked before. Unlike `mask` it
   * does not judge by what stands around a value, so that a text is masked in the same way in every quotation.
   */
  maskForms(
    text: string,
    { key, seen = [], more = [] }: Pick<MaskRequest, "key" | "seen"> & { readonly more?: readonly string[] },
  ): string {
    const context = new MaskContext(key);
    const known = maskKnown(text, [...this.#known, ...more], context);
    const forms = maskForms(known, NO_PATTERNS, context);
    return maskSeen(forms, new Map(seen.map((value) => [value.digest, value])), context);
  }

  /** The text without the secrets of this process and `more` of them. */
  maskKnown(
    text: string,
    { key, more = [] }: Pick<MaskRequest, "key"> & { readonly more?: readonly string[] },
  ): string {
    return maskKnown(text, [...this.#known, ...more], new MaskContext(key));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const { failed } of this.#waiting.splice(0)) failed(failure("the process stops"));
    const worker = this.#worker;
    this.#fail("the process stops");
    await worker?.terminate();
  }

  #maskHere(text: string, { rules, key, seen, seams }: MaskRequest): MaskedText {
    try {
      return maskByRules(text, rules, { known: this.#known, key, seen, seams });
    } catch (error) {
      throw failure(errorMessage(error).slice(0, 200));
    }
  }

  #next(): void {
    if (this.#current !== undefined) return;
    const next = this.#waiting.shift();
    if (next === undefined) {
      // An idle worker does not keep the process alive.
      this.#worker?.unref();
      return;
    }
    this.#current = next;
    this.#jobs += 1;
    const { text, rules, key, seen = [], seams = [] } = next;
    const worker = (this.#worker ??= this.#start());
    const isNew = this.#sentToWorker !== this.#known;
    this.#sentToWorker = this.#known;
    worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage({
      id: this.#jobs,
      text,
      rules,
      key,
      seen,
      seams,
      ...(isNew ? { known: this.#known } : {}),
    });
    this.#watch(this.#jobs, Atomics.load(this.#progress, 0));
  }

  /** Terminates the worker if it is still at the same job and has not got on since the last look. */
  #watch(job: number, before: number): void {
    const timer = setTimeout(() => {
      if (this.#jobs !== job || this.#current === undefined) return;
      const now = Atomics.load(this.#progress, 0);
      if (now === before) this.#fail("it did not get on");
      else this.#watch(job, now);
    }, this.#stallMs);
    timer.unref();
  }

  #start(): Worker {
    this.#progress = new Int32Array(new SharedArrayBuffer(4));
    this.#sentToWorker = undefined;
    const workerData: MaskWorkerData = { progress: this.#progress };
    // A bundle has it as a file of its own beside the service's.
    const file = import.meta.url.endsWith(".ts") ? "./worker/mask-worker.ts" : "./mask-worker.mjs";
    const worker = new Worker(new URL(file, import.meta.url), {
      workerData,
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: WORKER_MEMORY_MIB },
    });
    const isCurrent = () => this.#worker === worker;
    worker.on("message", (result: MaskJobResult) => {
      if (isCurrent() && result.id === this.#jobs) this.#settle(result);
    });
    worker.on("error", (error) => {
      if (isCurrent()) this.#fail(errorMessage(error).slice(0, 200));
    });
    worker.on("exit", () => {
      if (isCurrent()) this.#fail("its thread ended");
    });
    return worker;
  }

  #settle(result: MaskJobResult): void {
    const current = this.#current;
    this.#current = undefined;
    if ("masked" in result) current?.done(result.masked);
    else current?.failed(failure(result.error));
    this.#next();
  }

  /** Ends the worker and fails its text; the next one gets a new worker. */
  #fail(reason: string): void {
    const worker = this.#worker;
    const current = this.#current;
    this.#worker = undefined;
    this.#current = undefined;
    void worker?.terminate();
    current?.failed(failure(reason));
    if (!this.#isClosed) this.#next();
  }
}

function failure(reason: string): TerminalError {
  return new TerminalError("masking_failed", `masking failed: ${reason}`);
}
