import { randomUUID } from "node:crypto";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { ApiClient } from "#shared/client/api-client.ts";
import { ApiFailure } from "#shared/client/api-failure.ts";
import { retryDelay, waitFor } from "#shared/client/retry-delay.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import { isUuid } from "#shared/contracts/uuid.ts";
import { errorMessage } from "#shared/errors.ts";
import { Masker } from "#shared/masking/masker.ts";
import { rulesOfAlerts } from "#shared/masking/masking-rules.ts";
import { UsageError, type Command, type CommandCall } from "../command.ts";
import { OWNER_DATABASE, connectAsOwner } from "../connect-as-owner.ts";
import { EXIT } from "../exit-codes.ts";
import { readList, readOriginal, type Get, type Listed } from "../import/original.ts";
import { rowsOfSession, type ImportInto } from "../import/session-rows.ts";
import { maskRows, storeSession } from "../import/store-session.ts";
import { printable } from "../terminal/terminal-style.ts";
import { Counter } from "./eval-worlds.ts";

const DEFAULT_RATE = "20";
/** Of one request. */
const TRIES = 4;
/** So many failures in a row say that none can be imported. */
const MAX_FAILURES = 100;

/** `tarsy import tarsy URL` */
export const importCommand: Command = {
  name: "import",
  args: "tarsy URL",
  maxArgs: 2,
  summary:
    "Copies the ended sessions, reviews, scores and memories of the original TARSy, which it only reads",
  details: `A session that is here already is left as it is: repeat the command to continue an import.
${OWNER_DATABASE}`,
  words: ["tarsy"],
  options: {
    "token-env": { value: "NAME", help: "the variable with the token that the original wants" },
    since: { value: "TIME", help: "only sessions that began then or later, e.g. 2026-01-31T00:00:00Z" },
    team: { value: "TEAM[,TEAM]", help: "the teams that see the sessions; without it operators alone" },
    rate: { value: "N", help: `the most requests in a second (default ${DEFAULT_RATE})` },
  },
  run: async (call) => {
    const { from, headers, rate, since, teams } = readOptions(call);
    const { env, signal, terminal } = call;
    const get = paced(new ApiClient({ url: from, headers }), rate, signal);
    const db = await connectAsOwner(env);
    try {
      await using masker = new Masker();
      using progress = new Counter(terminal);
      const into = { from, teams };
      const { imported, before, left } = await importAll(
        { get, masker, db, since, into, signal },
        (done, all, failure) => {
          if (failure !== undefined) {
            progress.erase();
            terminal.warn(`${printable(failure)}\n`);
          }
          progress.show(`${done} of ${all} sessions`);
        },
      );
      progress.erase();
      terminal.write(`${imported} imported, ${before} here before, ${left} left out\n`);
      return left === 0 ? EXIT.done : EXIT.failed;
    } finally {
      await db.end();
    }
  },
};

interface ImportAll {
  readonly get: Get;
  readonly masker: Masker;
  readonly db: Awaited<ReturnType<typeof connectAsOwner>>;
  readonly since: string | undefined;
  readonly into: Pick<ImportInto, "from" | "teams">;
  readonly signal: AbortSignal;
}

/** Imports all sessions that are not here yet. Throws once it seems that none can be. */
async function importAll(
  deps: ImportAll,
  progress: (done: number, all: number, failure: string | undefined) => void,
) {
  const { get, db, since, signal } = deps;
  const counts = { imported: 0, before: 0, left: 0 };
  let inARow = 0;
  for await (const { sessions, all } of readList(get, since)) {
    const { rows } = await db.query(KNOWN, [sessions.map(({ id }) => id).filter(isUuid)]);
    const known = new Set(parseKnown(rows).map(({ session_id }) => session_id));
    for (const listed of sessions) {
      signal.throwIfAborted();
      let failure: string | undefined;
      try {
        const isNew = !known.has(listed.id.toLowerCase()) && (await importOne(deps, listed));
        counts[isNew ? "imported" : "before"] += 1;
        inARow = 0;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ApiFailure && isFinal(error)) throw error;
        counts.left += 1;
        if (isTerminal(listed.status)) inARow += 1;
        failure = `${listed.id}: ${errorMessage(error)}`;
        if (inARow === MAX_FAILURES) {
          throw new Error(`${MAX_FAILURES} in a row, the last ${failure}`, { cause: error });
        }
      }
      progress(counts.imported + counts.before + counts.left, all, failure);
    }
  }
  return counts;
}

const KNOWN = "SELECT session_id FROM alert_sessions WHERE session_id = ANY($1::uuid[])";
const parseKnown = compileParser("known sessions", Type.Array(Type.Object({ session_id: Type.String() })));

/** No other request will be answered. */
function isFinal({ status }: ApiFailure): boolean {
  return status === undefined || status === 401 || status === 403;
}

function readOptions({ positionals, option, env }: CommandCall) {
  const [what, url] = positionals;
  if (what !== "tarsy" || url === undefined) throw new UsageError("import: use import tarsy URL");
  const address = URL.parse(url);
  if (
    address === null ||
    !/^https?:$/u.test(address.protocol) ||
    address.username !== "" ||
    address.search !== ""
  ) {
    throw new UsageError("URL: give the original's address, such as https://tarsy.example.com");
  }
  const name = option("token-env");
  const token = name === undefined ? undefined : env[name];
  if (name !== undefined && (token ?? "") === "") throw new UsageError(`--token-env: ${name} is not set`);
  const rate = Number(option("rate") ?? DEFAULT_RATE);
  if (!(rate > 0 && rate <= 1_000)) throw new UsageError("--rate: give a number up to 1000");
  const since = option("since");
  if (since !== undefined && Number.isNaN(Date.parse(since))) {
    throw new UsageError("--since: give a time such as 2026-01-31T00:00:00Z");
  }
  return {
    from: `${address.origin}${address.pathname}`.replace(/\/+$/u, ""),
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    rate,
    since: since === undefined ? undefined : new Date(since).toISOString(),
    teams: (option("team") ?? "")
      .split(",")
      .map((team) => team.trim())
      .filter((team) => team !== ""),
  };
}

/** Requests one after another, not more than `rate` in a second; those that fail in passing are repeated. */
function paced(client: ApiClient, rate: number, signal: AbortSignal): Get {
  let nextAt = 0;
  return async (route, request) => {
    for (let failures = 1; ; failures += 1) {
      const now = performance.now();
      nextAt = Math.max(now, nextAt) + 1_000 / rate;
      await waitFor(nextAt - now - 1_000 / rate, signal);
      try {
        return await client.call(route, { ...request, signal });
      } catch (error) {
        if (!(error instanceof ApiFailure)) throw error;
        const { status } = error;
        if (status === 404) return null;
        const isPassing = status === undefined || status === 429 || status >= 500;
        if (!isPassing || failures === TRIES) throw error;
        await waitFor(retryDelay(failures), signal);
      }
    }
  };
}

/** False if the session has come here meanwhile. Throws an Error that says why it is not imported. */
async function importOne({ get, masker, db, into }: ImportAll, listed: Listed): Promise<boolean> {
  const { id, status } = listed;
  if (!isUuid(id)) throw new Error("its id is no UUID");
  if (!isTerminal(status)) throw new Error(`it is ${status}: import it once it has ended`);
  const original = await readOriginal(get, listed);
  if (original.session.id !== id) throw new Error("it is answered with another session");
  const key = randomUUID();
  const rows = rowsOfSession(original, { ...into, maskKey: key, now: new Date().toISOString() });
  return storeSession(db, await maskRows(rows, { masker, rules: rulesOfAlerts(), key }));
}
