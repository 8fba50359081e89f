/** One guard removed from the code, and the scenario that must fail without it. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  /** Must occur exactly once in the file. */
  readonly original: string;
  readonly mutant: string;
  readonly scenario: string;
  /** Part of the name of the check that must fail. */
  readonly breaks: string;
}

/** The guards that `npm run test:faults:mutants` removes, one at a time. */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: "the fence: a step is written under any epoch",
    file: "shared/database/append-events.ts",
    original: "(lease_epoch = $3 AND lease_expires_at IS NOT NULL",
    mutant: "($3::int > 0",
    scenario: "zombie",
    breaks: "no row comes from anyone but the owner",
  },
  {
    name: "the order: events are numbered by a global sequence",
    file: "shared/database/append-events.ts",
    original: "SELECT $1, numbered.base + item.ordinality::int, item.value",
    mutant: "SELECT $1, nextval('events_id_seq')::int, item.value",
    scenario: "notifier-kill",
    breaks: "events are numbered from 1",
  },
  {
    name: "the late acknowledgement: a wake-up is acknowledged before the end of its session is committed",
    file: "services/executor/consume-sessions.ts",
    original: "const entry = { delivery, done: Promise.resolve() };",
    mutant: "const entry = { delivery, done: Promise.resolve() };\n    await delivery.ack();",
    scenario: "backlog",
    breaks: "never more than 5 run",
  },
  {
    name: "the late answer: an alert is answered with 202 before its row is committed",
    file: "services/api/routes/submit-alert.ts",
    original: "await insertSession(db, session, key);",
    mutant:
      "await Promise.race([insertSession(db, session, key), { sessionId: session.sessionId, isReplayed: false }]);",
    scenario: "postgres-crash",
    breaks: "every alert answered with 202 has a session",
  },
  {
    name: "the id of a tool call: each owner uses a different one",
    file: "services/executor/tools/perform-tool-call.ts",
    original: "const callId = uuidFrom(`tool:${iteration}:${call.index}`, execution.execution_id);",
    mutant:
      "const callId = uuidFrom(`tool:${iteration}:${call.index}:${session.epoch}`, execution.execution_id);",
    scenario: "executor-failpoints",
    breaks: "what may change the world is done once",
  },
];
