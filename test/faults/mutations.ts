/** One guard removed from the code, and the scenario or test file that must fail without it. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  /** Must occur exactly once in the file. */
  readonly original: string;
  readonly mutant: string;
  /** A scenario of `test/faults`, or a test file where no scenario reaches the guard. */
  readonly provenBy: { readonly scenario: string } | { readonly testFile: string };
  /** Part of the name of the check, or of the test's title, that must fail. */
  readonly breaks: string;
}

/** The guards that `npm run test:faults:mutants` removes, one at a time. */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: "work without a stream: executors wait for wake-ups that cannot be stored",
    file: "services/executor/consume-queue.ts",
    original: "const isNeeded = deps.bus.isConnected() && isRefused(queue);",
    mutant: "const isNeeded = false;",
    provenBy: { scenario: "bus-refuses" },
    breaks: "the scenario runs to its end",
  },
  {
    name: "the repair of streams: one that takes no message stays as it is",
    file: "services/api/stream-watch.ts",
    original: "await this.#parts.admin.remake(streams);",
    mutant: "",
    provenBy: { scenario: "nats-store-full" },
    breaks: "the streams take messages again",
  },
  {
    name: "the fence: a step is written under any epoch",
    file: "services/executor/persist/step-statement.ts",
    original: "AND r.lease_epoch = $2 AND r.lease_expires_at IS NOT NULL",
    mutant: "AND $2::int > 0",
    // In `zombie` the response timeout closes the thawed executor's connection before its write reaches the fence.
    provenBy: { testFile: "services/executor/test/commit-step.test.ts" },
    breaks: "writes nothing with a stale epoch",
  },
  {
    name: "the order: events are numbered by a global sequence",
    file: "services/executor/persist/step-statement.ts",
    original: "SELECT fence.session_id, fence.base + item.ordinality::int,",
    mutant: "SELECT fence.session_id, nextval('events_id_seq')::int,",
    provenBy: { scenario: "notifier-kill" },
    breaks: "events are numbered from 1",
  },
  {
    name: "the late acknowledgement: a wake-up is acknowledged before the end of its session is committed",
    file: "services/executor/consume-queue.ts",
    original: "const slot: Slot = { delivery, sessionId, isOver: false, done: Promise.resolve(), hasPlace };",
    mutant:
      "const slot: Slot = { delivery, sessionId, isOver: false, done: Promise.resolve(), hasPlace };\n    await delivery.ack();",
    provenBy: { scenario: "backlog" },
    breaks: "never more than 5 run",
  },
  {
    name: "the late answer: an alert is answered with 202 before its row is committed",
    file: "services/api/submit/open-submitter.ts",
    original: "await insertSession({ db, inserts }, session, key)",
    mutant:
      "await Promise.race([insertSession({ db, inserts }, session, key), { sessionId: session.sessionId, isReplayed: false }])",
    provenBy: { scenario: "postgres-crash" },
    breaks: "every alert answered with 202 has a session",
  },
  {
    name: "the claim of a tool call: a call that another has claimed runs again",
    file: "services/tool-runner/answer-call.ts",
    original:
      'return claim.kind === "claimed" ? { kind: "started", call: running.start(request, tool, effect) } : claim;',
    mutant:
      'return claim.kind === "claimed" || claim.kind === "taken" ? { kind: "started", call: running.start(request, tool, effect) } : claim;',
    provenBy: { scenario: "executor-failpoints" },
    breaks: "what may change the world is done once",
  },
  {
    name: "work without a wake-up: no sweep looks for open work on sessions that have ended",
    file: "services/api/sweeper/dispatch-unowned.ts",
    original: '{ lane: "followup", state: "started", query: unowned(FOLLOWED_UP) },',
    mutant: "",
    provenBy: { scenario: "chat-kill" },
    breaks: "a question without a wake-up is answered once",
  },
  {
    name: "the delivery of results: the step that gives an agent a result does not record it",
    file: "services/executor/persist/table-rows.ts",
    original: "delivered: change.delivered === true,",
    mutant: "delivered: false,",
    provenBy: { scenario: "sub-agents-kill" },
    breaks: "each result is delivered once",
  },
  {
    name: "the automatic score: the step that ends a session does not insert it",
    file: "services/executor/summarize-session.ts",
    original: "automaticScore(state, COMPLETED)",
    mutant: "{ rows: {}, events: [] },",
    provenBy: { scenario: "scoring-kill" },
    breaks: "each session has one score",
  },
  {
    name: "the end of a score: the step that ends a scoring leaves its score open",
    file: "services/executor/follow-ups/follow-up-rows.ts",
    original: "[ending, endScore(stage.session_id, followUp, outcome, judged)]",
    mutant: "[ending]",
    provenBy: { scenario: "scoring-kill" },
    breaks: "a session can be scored again",
  },
  {
    name: "the reading of notes: the step that gives an agent a note does not record it",
    file: "services/executor/persist/step-statement.ts",
    original: "AS r(message_id uuid, execution_id uuid)",
    mutant: "AS r(message_id uuid, execution_id uuid) WHERE false",
    provenBy: { scenario: "steering-kill" },
    breaks: "a note is read exactly once",
  },
  {
    name: "the settlement of lost calls: what an owner that is gone has reserved counts as nothing",
    file: "shared/database/budget-functions.ts",
    original: "SELECT r.reservation_id, r.session_id, r.usd, r.tokens, r.calls FROM",
    mutant: "SELECT r.reservation_id, r.session_id, 0, 0, 0 FROM",
    provenBy: { scenario: "budget-kill" },
    breaks: "a budget is not exceeded",
  },
];
