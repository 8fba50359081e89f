import { randomUUID } from "node:crypto";
import type { Cassette, RecordedExecution } from "#shared/cassette/cassette.ts";
import { showFrameCodes } from "#shared/cassette/frame-codes.ts";
import { parseCassette } from "#shared/cassette/parse-cassette.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import { MEMORY_CATEGORIES, MEMORY_VALENCES } from "#shared/contracts/memory.ts";
import type { Database } from "#shared/database/database.ts";
import { CancelledError } from "#shared/errors.ts";
import { pause } from "#shared/pause.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { RankedMemory } from "../../services/executor/core/agent-state.ts";
import { askAgain, type RecordedFollowUp } from "./recording/ask-again.ts";
import type { ChainSource } from "./recording/chain-source.ts";
import { awayAtSummary } from "./pacing/away-at-summary.ts";
import { AwayProviders } from "./pacing/away-providers.ts";
import { compareOutcome } from "./outcome/compare-outcome.ts";
import { divergenceTexts } from "./outcome/divergence-texts.ts";
import { EarlyEnds } from "./pacing/early-end.ts";
import { GivenInputs } from "./pacing/given-inputs.ts";
import { importCassette } from "./recording/import-cassette.ts";
import type { OfflineExecutor } from "./engine/offline-executor.ts";
import { readOutcome } from "./outcome/read-outcome.ts";
import { RecordedAnswers, placeOf } from "./recording/recorded-answers.ts";
import {
  INVESTIGATION,
  RecordedSession,
  type SessionPart,
  type PlacedCall,
} from "./recording/recorded-session.ts";
import { ReplayPacing } from "./pacing/replay-pacing.ts";
import type { ReplayDivergence, ReplayResult } from "./replay-result.ts";
import type { ReplayState } from "./pacing/replay-state.ts";
import { WatchedState } from "./pacing/watched-state.ts";

interface ReplaySessionOptions {
  readonly db: Database;
  readonly executor: OfflineExecutor;
  readonly chains: ChainSource;
  readonly log: Logger;
  readonly cassette: Cassette;
}

/** A replay in which nothing happens for this long has stopped: what it waits for never comes. */
const IDLE_MS = 20_000;
const WATCH_EVERY_MS = 500;
const MAX_ATTEMPTS = 5;

/** One session that is run again from its recording. */
export class ReplaySession {
  readonly #options: ReplaySessionOptions;
  readonly #nonce = randomUUID();
  readonly #recorded: RecordedSession;
  readonly #state: WatchedState;
  readonly #answers: RecordedAnswers;
  readonly #ends: EarlyEnds;
  readonly #inputs: GivenInputs;
  readonly #stop = new AbortController();
  #part: SessionPart = INVESTIGATION;
  #isPoisoned: AbortController | undefined;
  #divergence: ReplayDivergence | undefined;

  constructor(options: ReplaySessionOptions) {
    this.#options = options;
    const { db, executor, log, cassette } = options;
    // The texts with the codes of the session as it is imported.
    const recorded = new RecordedSession(
      parseCassette(showFrameCodes(JSON.stringify(cassette), this.#nonce)),
    );
    this.#recorded = recorded;
    const { session_id: sessionId } = cassette.session;
    const state = new WatchedState({ db, sessionId, log, onState: (now) => this.#onState(now) });
    this.#state = state;
    const onDivergence = (divergence: ReplayDivergence) => this.#diverge(divergence);
    this.#answers = new RecordedAnswers({ recorded, nonce: this.#nonce, state, onDivergence });
    const { leases } = executor.deps;
    const onPoison = () => this.#isPoisoned?.abort(new CancelledError("shutdown", "given up"));
    this.#ends = new EarlyEnds({ db, recorded, leases, onPoison });
    const notice = (inboxSeq: number) => leases.find(sessionId)?.noticeInbox(inboxSeq);
    this.#inputs = new GivenInputs({ db, recorded, notice });
  }

  /** Answers a call of this session to the model. */
  readonly answer: RecordedAnswers["answer"] = (request, signal) => this.#answers.answer(request, signal);

  /** Called after each commit of this session. */
  onEvents(): void {
    this.#state.notice();
  }

  /** Runs the session again. Throws database errors and the signal's reason. */
  async run(signal: AbortSignal): Promise<ReplayResult> {
    const { cassette } = this.#recorded;
    const { db, chains } = this.#options;
    const { chain, texts } = await chains.chainOf(cassette);
    await importCassette(db, { cassette, nonce: this.#nonce, chain, texts });
    const watch = setInterval(() => this.#watch(), WATCH_EVERY_MS);
    try {
      await this.#runPart(INVESTIGATION, signal);
      for (const followUp of cassette.follow_ups) await this.#runFollowUp(followUp, signal);
    } finally {
      clearInterval(watch);
      await this.#state.settled();
    }
    return this.#result();
  }

  async #runFollowUp(followUp: RecordedFollowUp, signal: AbortSignal): Promise<void> {
    if (this.#divergence !== undefined) return;
    const { cassette } = this.#recorded;
    const { db, chains } = this.#options;
    await askAgain(db, cassette, followUp, await chains.followUpOf(cassette, followUp));
    await this.#runPart(followUp.follow_up_id, signal);
  }

  async #runPart(part: SessionPart, signal: AbortSignal): Promise<void> {
    const { session_id: id } = this.#recorded.cassette.session;
    this.#part = part;
    this.#state.notice();
    const away = new AwayProviders(async () => {
      await this.#state.settled();
      return awayAtSummary(this.#recorded.cassette, this.#firstMissing(this.#state.current));
    });
    const pacing = new ReplayPacing({
      recorded: this.#recorded,
      state: this.#state,
      inputs: this.#inputs,
      ends: this.#ends,
      away,
      memories: (executionId) => memoriesOf(this.#recorded.execution(executionId)),
    });
    const poison = new AbortController();
    this.#isPoisoned = poison;
    const either = AbortSignal.any([signal, this.#stop.signal, poison.signal]);
    try {
      await this.#options.executor.runToEnd(id, either, {
        pause: (_ms, end) => pause(0, end),
        circuits: away,
        features: pacing.features,
      });
    } catch (error) {
      signal.throwIfAborted();
      if (this.#stop.signal.aborted) return;
      if (!poison.signal.aborted) throw error;
      await this.#giveUp(id, signal);
    }
  }

  /** Ends the session as one that was lost too often. */
  async #giveUp(id: string, signal: AbortSignal): Promise<void> {
    const { db, executor } = this.#options;
    await db.query("UPDATE session_runtime SET attempts = $2, not_before = NULL WHERE session_id = $1", [
      id,
      MAX_ATTEMPTS,
    ]);
    await executor.runToEnd(id, signal);
  }

  async #onState(state: ReplayState): Promise<void> {
    await this.#inputs.decide(state.asked);
    await this.#ends.endDue(this.#part, state);
    const missing = this.#firstMissing(state);
    if (missing === undefined) return;
    const { execution, call } = missing;
    const status = state.executions.get(execution.execution_id);
    // The summary is written after its agent has ended.
    const hasEnded = status !== undefined && isTerminal(status) && call.type !== "executive_summary";
    if (hasEnded) this.#diverge(this.#neverMade(missing));
  }

  #firstMissing({ interactions }: ReplayState): PlacedCall | undefined {
    return this.#recorded.callsOf(this.#part).find(({ call }) => !interactions.has(call.interaction_id));
  }

  #watch(): void {
    // What is due to end may have had no owner when it became due.
    if (this.#state.idleMs > WATCH_EVERY_MS && this.#recorded.endedEarly(this.#part)) {
      void this.#ends.endDue(this.#part, this.#state.current).catch(() => undefined);
    }
    if (this.#state.idleMs < IDLE_MS) return;
    const missing = this.#firstMissing(this.#state.current);
    this.#diverge(missing === undefined ? NEVER_ENDED : this.#neverMade(missing));
  }

  #neverMade(missing: PlacedCall): ReplayDivergence {
    return {
      ...placeOf(this.#recorded, missing),
      pointer: "",
      ...divergenceTexts(missing.call.reply.text, undefined),
    };
  }

  #diverge(divergence: ReplayDivergence): void {
    this.#divergence ??= divergence;
    this.#stop.abort(new CancelledError("shutdown", "the replay has diverged"));
  }

  async #result(): Promise<ReplayResult> {
    const { session_id } = this.#recorded.cassette.session;
    const outcome = await readOutcome(this.#options.db, session_id);
    const isBroken = this.#divergence !== undefined;
    const compared = { recorded: this.#recorded, outcome, nonce: this.#nonce, isBroken };
    const [other] = compareOutcome(compared);
    const found = earlier(this.#divergence, other);
    const notReplayed = this.#notReplayed();
    return found === undefined
      ? { kind: "identical", notReplayed }
      : { kind: "diverged", divergence: found, notReplayed };
  }

  #notReplayed(): string[] {
    const { inputs, executions } = this.#recorded.cassette;
    const unknown = executions
      .flatMap(({ llm_calls }) => llm_calls)
      .filter(({ request_hash }) => request_hash === null);
    return [
      ...(inputs.parkings > 0 ? ["that the session was parked"] : []),
      ...(unknown.length > 0 ? [`the requests of ${unknown.length} calls, which are not known`] : []),
    ];
  }
}

const NEVER_ENDED: ReplayDivergence = {
  agent: null,
  stage: null,
  execution_id: null,
  step: "end of the session",
  seq: null,
  pointer: "/status",
  ...divergenceTexts(
    "the session ended",
    `the replay stands still: nothing happened for ${IDLE_MS / 1_000} s`,
  ),
};

/** A call of a tool that differs explains what its agent asks next. */
function earlier(
  call: ReplayDivergence | undefined,
  other: ReplayDivergence | undefined,
): ReplayDivergence | undefined {
  if (call === undefined || other === undefined) return call ?? other;
  return call.seq !== null && (other.seq ?? Infinity) > call.seq ? call : other;
}

function memoriesOf(execution: RecordedExecution | undefined): RankedMemory[] {
  return (execution?.memories ?? []).flatMap(
    ({ memory_id, content, category, valence, confidence, alert_type }) => {
      const known = {
        category: MEMORY_CATEGORIES.find((name) => name === category),
        valence: MEMORY_VALENCES.find((name) => name === valence),
      };
      if (content === null || confidence === null) return [];
      if (known.category === undefined || known.valence === undefined) return [];
      return [
        {
          memory_id,
          content,
          confidence,
          alert_type,
          category: known.category,
          valence: known.valence,
        },
      ];
    },
  );
}
