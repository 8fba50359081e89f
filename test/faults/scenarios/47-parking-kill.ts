import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { until } from "../../support/until.ts";
import { expectEach } from "../harness/expect-each.ts";
import { expectEqualRows, type SessionRows } from "../harness/expect-equal-rows.ts";
import type { FaultLab } from "../harness/fault-lab.ts";
import { killDuringWork } from "../harness/kill-during-work.ts";
import type { KilledWork } from "../harness/killed-work.ts";
import type { Scenario } from "../harness/scenario.ts";

const STATE = `
SELECT s.status::text, s.completed_at IS NOT NULL AS is_over, r.parked_at IS NOT NULL AS is_parked
FROM alert_sessions s JOIN session_runtime r USING (session_id) WHERE session_id = $1`;
const parseState = compileParser(
  "state of a session",
  Type.Object({ status: Type.String(), is_over: Type.Boolean(), is_parked: Type.Boolean() }),
);

const PARKINGS = `
SELECT count(*) FILTER (WHERE payload->>'type' = 'session.parked')::int AS parked,
       count(*) FILTER (WHERE payload->>'type' = 'session.resumed')::int AS resumed
FROM events WHERE session_id = $1`;
const parseParkings = compileParser(
  "parkings of a session",
  Type.Object({ parked: Type.Integer(), resumed: Type.Integer() }),
);

/** A call of the model that is longer than a session that is to park lets it run. */
const LONG_MS = 2_800;
/** More than a session takes whose executor dies in between. */
const BY_HAND_MS = 150_000;

/** Sessions that a person parks and resumes while their executor dies. */
function parkingWork(): KilledWork {
  /** Of each session what parks and resumes it, until it has or the session is over. */
  const byHand: Promise<void>[] = [];
  let reference: SessionRows | undefined;
  return {
    name: "parking",
    writes: 24,
    answer: () => undefined,
    begin: async (lab) => {
      const id = await lab.alerts.submit({ turns: 2, paceMs: LONG_MS });
      // What goes wrong is seen in what the session became.
      byHand.push(parkAndResume(lab, id).catch(() => undefined));
      return id;
    },
    check: async (context, lab, sessions) => {
      await Promise.all(byHand.splice(0));
      const parked = await Promise.all(sessions.map(async ({ sessionId }) => readParkings(lab, sessionId)));
      context.figure(
        "parking: sessions that were parked",
        parked.filter((one) => one.parked > 0).length,
        `of ${sessions.length}`,
      );
      context.expect(
        "parking: most sessions were parked",
        parked.filter((one) => one.parked > 0).length * 2 > sessions.length,
      );
      await expectEach(context, "a session that was parked completes", sessions, async ({ sessionId }) => {
        const { status } = await readState(lab, sessionId);
        return status === "completed" ? undefined : status;
      });
      await expectEach(
        context,
        "a session goes on as often as it was parked",
        sessions,
        async ({ sessionId }) => {
          const { parked: times, resumed } = await readParkings(lab, sessionId);
          return times === resumed ? undefined : `parked ${times} times, resumed ${resumed} times`;
        },
      );
      reference = await expectEqualRows(context, lab, { name: "parking", sessions, reference });
    },
  };
}

export const parkingKill: Scenario = killDuringWork(
  "parking-kill",
  "an executor dies at each write of a session that is parked and resumed meanwhile",
  () => [parkingWork()],
);

/** Parks a session once it runs, and resumes it once it is parked. */
async function parkAndResume(lab: FaultLab, id: string): Promise<void> {
  const end = performance.now() + BY_HAND_MS;
  const within = async <T>(what: string, probe: () => Promise<T>) =>
    until(what, probe, end - performance.now());
  const reaches = async (
    what: string,
    isReached: (state: Awaited<ReturnType<typeof readState>>) => boolean,
  ) =>
    within(what, async () => {
      const state = await readState(lab, id);
      return (isReached(state) || state.is_over) && state;
    });
  // The row can be locked until Postgres learns that the executor is dead.
  const post = async (change: "park" | "resume") =>
    within("the request is answered", async () => {
      const path = `/api/v1/sessions/${id}/${change}`;
      return (await fetch(`${lab.system.api}${path}`, { method: "POST" })).status < 500;
    });
  await reaches("the session runs", ({ status }) => status === "in_progress");
  await post("park");
  const { is_over } = await reaches("the session is parked", ({ is_parked }) => is_parked);
  if (!is_over) await post("resume");
}

async function readState(lab: FaultLab, sessionId: string) {
  return parseState((await lab.servers.query(STATE, [sessionId]))[0]);
}

async function readParkings(lab: FaultLab, sessionId: string) {
  return parseParkings((await lab.servers.query(PARKINGS, [sessionId]))[0]);
}
