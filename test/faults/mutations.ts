/** One guard removed from the code, and the scenario or test file that must fail without it. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  /** Must occur exactly once in the file. */
  readonly original: string;
  readonly mutant: string;
  /**
   * A test file of `npm test`, or a scenario of `test/faults` for what only the nightly run has. Of a file only the tests with the title run, unless what
   * they try depends on the tests before: others may wait for ever without the guard.
   */
  readonly provenBy: { readonly scenario: string } | { readonly testFile: string; readonly isWhole?: true };
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
    original:
      "AND r.lease_epoch = $2 AND r.last_step = ANY($12::uuid[])\n    AND r.lease_expires_at IS NOT NULL",
    mutant: "AND $2::int > 0 AND $12::uuid[] IS NOT NULL",
    // In `zombie` the response timeout closes the thawed executor's connection before its write reaches the fence.
    provenBy: { testFile: "services/executor/test/commit-step.test.ts" },
    breaks: "writes nothing with a stale epoch",
  },
  {
    name: "the last step: a step is written on rows that lack the one before it",
    file: "services/executor/persist/step-statement.ts",
    original: "AND r.lease_epoch = $2 AND r.last_step = ANY($12::uuid[])",
    mutant: "AND r.lease_epoch = $2 AND $12::uuid[] IS NOT NULL",
    provenBy: { testFile: "services/executor/test/commit-step.test.ts" },
    breaks: "writes nothing on rows that lack its last step",
  },
  {
    name: "the order: events are numbered by a global sequence",
    file: "services/executor/persist/step-statement.ts",
    original: "SELECT fence.session_id, fence.base + item.ordinality::int,",
    mutant: "SELECT fence.session_id, nextval('events_id_seq')::int,",
    provenBy: { testFile: "services/executor/test/commit-step.test.ts" },
    breaks: "keeps the event numbers of a session contiguous",
  },
  {
    name: "the late acknowledgement: a wake-up is acknowledged before the end of its session is committed",
    file: "services/executor/consume-queue.ts",
    original: "const signals = { stop, abort: abort.signal };",
    mutant: "await slot.delivery.ack();\n        const signals = { stop, abort: abort.signal };",
    provenBy: { testFile: "services/executor/test/consume-sessions.test.ts" },
    breaks: "does not acknowledge the wake-up of a session that another executor owns",
  },
  {
    name: "the late answer: an alert is answered with 202 before its row is committed",
    file: "services/api/alerts/open-submitter.ts",
    original: "await insertSession({ db, inserts }, session, key)",
    mutant:
      "await Promise.race([insertSession({ db, inserts }, session, key), { sessionId: session.sessionId, isReplayed: false }])",
    provenBy: { testFile: "services/api/test/without-servers.test.ts" },
    breaks: "answers 503 with Retry-After",
  },
  {
    name: "the claim of a tool call: a call that another has claimed runs again",
    file: "services/tool-runner/answer-call.ts",
    original:
      'return claim.kind === "claimed" ? { kind: "started", call: running.start(request, tool, effect) } : claim;',
    mutant:
      'return claim.kind === "claimed" || claim.kind === "taken" ? { kind: "started", call: running.start(request, tool, effect) } : claim;',
    provenBy: { testFile: "services/tool-runner/test/answer-call.test.ts" },
    breaks: "runs an id once",
  },
  {
    name: "work without a wake-up: no sweep looks for open work on sessions that have ended",
    file: "services/api/sweeper/dispatch-unowned.ts",
    original: '{ lane: "followup", state: "started", query: unowned("followup", FOLLOWED_UP) },',
    mutant: "",
    provenBy: { scenario: "chat-kill" },
    breaks: "a question without a wake-up is answered once",
  },
  {
    name: "the delivery of results: the step that gives an agent a result does not record it",
    file: "services/executor/persist/table-rows.ts",
    original: "delivered: change.delivered === true,",
    mutant: "delivered: false,",
    provenBy: { testFile: "services/executor/test/disturbed-features.test.ts", isWhole: true },
    breaks: "three sub-agents",
  },
  {
    name: "the automatic score: the step that ends a session does not insert it",
    file: "services/executor/summarize-session.ts",
    original: "automaticScore(state, COMPLETED)",
    mutant: "{ rows: {}, events: [] },",
    provenBy: { testFile: "services/executor/test/scoring.test.ts" },
    breaks: "gets its scoring with the step that ends it",
  },
  {
    name: "the end of a score: the step that ends a scoring leaves its score open",
    file: "services/executor/follow-ups/follow-up-steps.ts",
    original: "[ending, endScore(stage.session_id, followUp, outcome, judged)]",
    mutant: "[ending]",
    provenBy: { testFile: "services/executor/test/scoring.test.ts" },
    breaks: "gets its scoring with the step that ends it",
  },
  {
    name: "the reading of notes: the step that gives an agent a note does not record it",
    file: "services/executor/persist/step-parts.ts",
    original: 'insertPart(STEERING_DELIVERIES, { without: ["delivered_at"] }),',
    mutant:
      '(rows) => `${insertPart(STEERING_DELIVERIES, { without: ["delivered_at"] })(rows)} WHERE false`,',
    provenBy: { testFile: "services/executor/test/disturbed-features.test.ts", isWhole: true },
    breaks: "a note that",
  },
  {
    name: "the settlement of lost calls: what an owner that is gone has reserved counts as nothing",
    file: "shared/database/functions/budget-functions.ts",
    original: "SELECT r.reservation_id, r.session_id, r.usd, r.tokens, r.calls FROM",
    mutant: "SELECT r.reservation_id, r.session_id, 0, 0, 0 FROM",
    provenBy: { testFile: "services/executor/test/budget-reservations.test.ts" },
    breaks: "counts a lost call in full",
  },
  {
    name: "the epoch: a claim does not raise it",
    file: "services/executor/claim-free-session.ts",
    original: "lease_owner = $2, lease_epoch = r.lease_epoch + 1,",
    mutant: "lease_owner = $2, lease_epoch = r.lease_epoch,",
    provenBy: { testFile: "services/executor/test/claim-session.test.ts" },
    breaks: "raises the epoch of a takeover",
  },
  {
    name: "the announcement: what a step has committed is not published",
    file: "services/executor/persist/commit-step.ts",
    original: "session.publisher.publish(committed.events);",
    mutant: "",
    provenBy: { testFile: "services/executor/test/run-session.test.ts" },
    breaks: "sends each created event before its chunks",
  },
  {
    name: "the mask: an alert is stored as it came",
    file: "services/api/alerts/mask-alert.ts",
    original: "const data = await masker.mask(alert.data, { rules, key: maskKey });",
    mutant: "const data = { ...(await masker.mask(alert.data, { rules, key: maskKey })), text: alert.data };",
    provenBy: { testFile: "services/api/test/mask-alert.test.ts" },
    breaks: "is stored without them",
  },
  {
    name: "the cursor: history begins one event late",
    file: "services/notifier/subscriptions/session-history.ts",
    original: "let position = afterSeq;",
    mutant: "let position = afterSeq + 1;",
    provenBy: { testFile: "services/notifier/test/live-events.test.ts" },
    breaks: "sends history and live events as one sequence",
  },
  {
    name: "the cancel: a step is written after it",
    file: "services/executor/persist/step-statement.ts",
    original: "AND ($4::boolean OR r.cancel_requested_at IS NULL AND NOT",
    mutant: "AND ($4::boolean OR true OR NOT",
    provenBy: { testFile: "services/executor/test/disturbed-features.test.ts", isWhole: true },
    breaks: "leaves nothing open and starts nothing after",
  },
];
