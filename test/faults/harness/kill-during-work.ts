import { setTimeout as wait } from "node:timers/promises";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { until } from "../../support/until.ts";
import type { FaultLab } from "./fault-lab.ts";
import type { KilledSession, KilledWork } from "./killed-work.ts";
import { answerFromAlert } from "./lab-config.ts";
import { PolledViews } from "./polled-views.ts";
import type { Scenario, ScenarioContext } from "./scenario.ts";
import { WritePoints, type WritePoint } from "./write-points.ts";

/** At most what one connection of a client can follow. */
const FOLLOWED = 40;
/** The points of each write. */
const WHENS = ["before", "after"] as const;
/** Of each kind of work. */
const SHORT_PIECES = 8;
const JOINT_PIECES = 24;
/** Of an executor. */
const MAX_SLOTS = 50;
const RANDOM_PIECES = 8;
const RANDOM_KILLS = 4;

const parseOpen = compileParser("open session", Type.Object({ session_id: Type.String() }));
/** Of these sessions those that have not ended, have open work after their end, or have an owner. */
const OPEN = `
SELECT s.session_id FROM alert_sessions s JOIN session_runtime r USING (session_id) WHERE s.session_id = ANY($1::uuid[])
  AND (completed_at IS NULL OR r.lease_expires_at IS NOT NULL OR EXISTS (SELECT FROM follow_ups f WHERE f.session_id = s.session_id AND f.completed_at IS NULL))`;

/**
 * The executor is killed once while each piece of work is at another write of its own; the full form then kills executors at
 * random times.
 */
export function killDuringWork(
  name: string,
  summary: string,
  makeWorks: () => KilledWork[],
  { comparesPast = false }: { readonly comparesPast?: boolean } = {},
): Scenario {
  return {
    name,
    summary,
    run: async (context) => {
      const works = makeWorks();
      const points = new WritePoints();
      // All points of several kinds of work need more connections than Postgres has.
      const most = context.short ? SHORT_PIECES : works.length > 1 ? JOINT_PIECES : Infinity;
      const pieces = works.flatMap((work) => plan(work, context, most));
      const lab = await context.lab({
        executors: Math.max(context.short ? 1 : 2, Math.ceil(pieces.length / MAX_SLOTS)),
        slots: Math.min(pieces.length, MAX_SLOTS),
        followUps: pieces.length,
        watchExecutor: () => points.watch(),
        watchApi: () => watchAll(works),
        plan: (call, alert) =>
          works.map((work) => work.answer(call, alert)).find((answer) => answer !== undefined) ??
          answerFromAlert(call, alert),
      });
      await killAtWrites(context, lab, pieces, { points, comparesPast });
      if (!context.short) await killAtRandom(context, lab, works);
    },
  };
}

interface Piece {
  readonly work: KilledWork;
  readonly index: number;
  readonly point: WritePoint;
}

/** At most so many points, at equal distances over the work; the seed decides about the first. */
function plan(work: KilledWork, { random }: ScenarioContext, most: number): Piece[] {
  const points = Array.from({ length: work.writes }, (_, n) =>
    WHENS.map((when) => ({ write: n + 1, when })),
  ).flat();
  const atLeast = Math.ceil(points.length / most);
  // Odd, so that points before and after a write take turns.
  const stride = atLeast + ((atLeast + 1) % 2);
  const first = Math.floor(random.next() * stride);
  return points.filter((_point, at) => at % stride === first).map((point, index) => ({ work, index, point }));
}

function watchAll(works: readonly KilledWork[]) {
  return {
    answered: (sql: string, transaction: readonly string[]) => {
      for (const { watchApi } of works) {
        const decision = watchApi?.answered?.(sql, transaction) ?? "forward";
        if (decision !== "forward") return decision;
      }
      return "forward" as const;
    },
  };
}

async function killAtWrites(
  context: ScenarioContext,
  lab: FaultLab,
  pieces: readonly Piece[],
  { points, comparesPast }: { readonly points: WritePoints; readonly comparesPast: boolean },
): Promise<void> {
  const prepared = await Promise.all(pieces.map(async ({ work }) => work.prepare?.(lab)));
  points.pause();
  const begun = await Promise.all(
    pieces.map(async ({ work, index, point }, at) => {
      const sessionId = await begin(lab, work, index, prepared[at]);
      points.watchSession(sessionId, point);
      return { work, index, point, sessionId };
    }),
  );
  follow(lab, begun);
  context.progress(`${begun.length} pieces of work`);
  const views = comparesPast
    ? new PolledViews(
        lab,
        begun.map(({ sessionId }) => sessionId),
      )
    : undefined;
  points.resume();
  const open = begun.map(({ sessionId }) => sessionId);
  const startedAt = performance.now();
  await until(
    "each piece of work is at its point or has ended",
    async () => (await openOf(lab, open)).every((id) => points.reached.has(id)),
    60_000,
  );
  context.figure("from the first write to the kill", (performance.now() - startedAt) / 1_000, "s");
  const sessions = begun.map(({ work, index, point, sessionId }) => {
    const isUndisturbed = !points.reached.has(sessionId);
    const fate = isUndisturbed ? "undisturbed" : `killed ${point.when} write ${point.write}`;
    return { work, sessionId, index, fate, isUndisturbed };
  });
  for (const work of worksOf(sessions)) {
    const undisturbed = sessions.filter((session) => session.work === work && session.isUndisturbed);
    const writes = Math.max(0, ...undisturbed.map(({ sessionId }) => points.writesOf(sessionId)));
    context.figure(`${work.name}: writes of a piece that no kill met`, writes, "");
    context.expect(`${work.name}: there are points for all writes`, undisturbed.length > 0);
  }
  const atKill = sessions.map(async (session) => session.work.atKill?.(lab, session));
  const kills = lab.executors.map(async (slot) => slot.kill());
  await Promise.all([...atKill, ...kills]);
  points.release();
  const killedAt = performance.now();
  await Promise.all(lab.executors.map(async (slot) => slot.start()));
  await Promise.all(worksOf(sessions).map(async (work) => work.meanwhile?.(context, lab)));
  await lab.untilAllTerminal();
  await views?.check(context);
  context.figure("from the kill to the end of all", (performance.now() - killedAt) / 1_000, "s");
  await check(context, lab, sessions);
}

/** Kills executors at random times while others begin; the last one ends everything. */
async function killAtRandom(
  context: ScenarioContext,
  lab: FaultLab,
  works: readonly KilledWork[],
): Promise<void> {
  const { random, progress } = context;
  const sessions: OwnSession[] = [];
  for (let killed = 1; killed <= RANDOM_KILLS; killed += 1) {
    const begun = await Promise.all(
      works.flatMap((work) =>
        Array.from({ length: RANDOM_PIECES }, async (_, n) => {
          const index = (killed - 1) * RANDOM_PIECES + n;
          const sessionId = await begin(lab, work, index, await work.prepare?.(lab));
          return { work, sessionId, index, fate: `begun before kill ${killed}`, isUndisturbed: false };
        }),
      ),
    );
    follow(lab, begun);
    sessions.push(...begun);
    await wait(random.between(0, 800));
    const slot = random.pick(lab.executors);
    await Promise.all([slot.kill(), ...begun.map(async (one) => one.work.atKill?.(lab, one))]);
    await slot.start();
    progress(`${killed} of ${RANDOM_KILLS} random kills, ${await lab.unfinished()} sessions left`);
  }
  await lab.untilAllTerminal(300_000);
  await check(context, lab, sessions);
}

interface OwnSession extends KilledSession {
  readonly work: KilledWork;
}

async function begin(
  lab: FaultLab,
  work: KilledWork,
  index: number,
  prepared: string | undefined,
): Promise<string> {
  return work.begin(lab, { index, ...(prepared === undefined ? {} : { prepared }) });
}

function follow(lab: FaultLab, sessions: readonly { readonly sessionId: string }[]): void {
  for (let at = 0; at < sessions.length; at += FOLLOWED) {
    const ids = sessions.slice(at, at + FOLLOWED).map(({ sessionId }) => sessionId);
    lab.follow(ids, undefined, { beyondEnd: true });
  }
}

/** The checks may begin further work, whose calls of the model are told apart by their phase. */
async function check(
  context: ScenarioContext,
  lab: FaultLab,
  sessions: readonly OwnSession[],
): Promise<void> {
  lab.model.phase = "later";
  for (const work of worksOf(sessions)) {
    const own = sessions.filter((session) => session.work === work);
    await work.check(context, lab, own);
  }
  lab.model.phase = "";
}

function worksOf(sessions: readonly OwnSession[]): KilledWork[] {
  return [...new Set(sessions.map(({ work }) => work))];
}

async function openOf(lab: FaultLab, ids: readonly string[]): Promise<string[]> {
  const rows = await lab.servers.query(OPEN, [ids]);
  return rows.map((row) => parseOpen(row).session_id);
}
