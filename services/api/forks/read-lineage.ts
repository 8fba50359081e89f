import { Type } from "#shared/generated/typebox/typebox.mjs";
import { maySee } from "#shared/access/authorize.ts";
import type { Identity } from "#shared/access/identity.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { TOOLS_MODES } from "#shared/contracts/recorded-tools.ts";
import { SESSION_STATUSES } from "#shared/contracts/statuses.ts";
import type { AlertSession } from "#shared/database/tables/alert-sessions.ts";
import { isoText } from "#shared/database/iso-text.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { ForkChanges } from "./contract.ts";

const MAX_FORKS = 100;

const parseChanges = compileParser("changes of a fork", ForkChanges);
const parseFork = compileParser(
  "fork of a session",
  Type.Object({
    session_id: Type.String(),
    at_seq: Type.Integer(),
    tools: literals(TOOLS_MODES),
    changes: ForkChanges,
    status: literals(SESSION_STATUSES),
    created_at: Type.String(),
    owner_subject: Type.Union([Type.String(), Type.Null()]),
    teams: Type.Array(Type.String()),
  }),
);

const READ = `
SELECT session_id, coalesce(forked_at_seq, 0) AS at_seq, tools_mode AS tools, coalesce(fork_changes, '{}') AS changes, status,
       ${isoText("created_at")} AS created_at, owner_subject, teams
FROM alert_sessions WHERE forked_from = $1 AND deleted_at IS NULL ORDER BY created_at, session_id LIMIT ${MAX_FORKS}`;

/** Which session this one is a fork of, and the forks of it that the caller may see, oldest first. */
export async function readLineage(db: Queryable, session: AlertSession, identity: Identity) {
  const { forked_from, forked_at_seq, fork_changes, tools_mode: tools } = session;
  const forks = await selectRows(db, parseFork, READ, [session.session_id]);
  return {
    tools_mode: tools,
    forked_from:
      forked_from === null
        ? null
        : {
            session_id: forked_from,
            at_seq: forked_at_seq ?? 0,
            tools,
            changes: parseChanges(fork_changes ?? {}),
          },
    forks: forks
      .filter((fork) => maySee(identity, fork))
      .map(({ owner_subject: _owner, teams: _teams, ...fork }) => fork),
  };
}
