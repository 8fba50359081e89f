import { errorMessage } from "#shared/errors.ts";
import { checkClients } from "./check-clients.ts";
import { checkModelCalls } from "./check-model-calls.ts";
import { checkToolCalls } from "./check-tool-calls.ts";
import { readSessions } from "./checked-session.ts";
import type { FaultLab } from "./fault-lab.ts";
import { finding } from "./finding.ts";
import type { Finding } from "./scenario.ts";
import { serverComplaints } from "./server-complaints.ts";
import { VIOLATIONS, parseViolation } from "./database-recorder.ts";

interface Allowed {
  /** The number of LLM and read-only tool calls that may have been repeated without a change of owner. */
  readonly mayRepeat: number;
  /** Warnings and errors that NATS may have logged. */
  readonly complaints: readonly RegExp[];
}

/** Checks every invariant of the system. */
export async function checkLab(lab: FaultLab, { mayRepeat, complaints }: Allowed): Promise<Finding[]> {
  const findings: Finding[] = [];
  await lab.untilAllTerminal().catch((error: unknown) => {
    findings.push({ what: "every session reaches its end", ok: false, detail: errorMessage(error) });
  });
  const sessions = await readSessions(lab.servers);
  const claims = await lab.claims();
  const violations = (await lab.servers.query(VIOLATIONS, [])).map((row) => parseViolation(row));
  const stored = new Set(sessions.map(({ session_id }) => session_id));
  const toolCalls = await lab.toolCalls();
  findings.push(
    finding(
      "every alert answered with 202 has a session",
      [...lab.alerts.acked.keys()].filter((id) => !stored.has(id)),
    ),
    finding(
      "events are numbered from 1 without a hole, in the order of their ids",
      sessions
        .filter(
          ({ seqs, last_seq }) => seqs.length !== last_seq || seqs.some((seq, index) => seq !== index + 1),
        )
        .map(({ session_id, seqs, last_seq }) => `${session_id}: ${seqs.join()} with last_seq ${last_seq}`),
    ),
    finding(
      "a session ends once, with its last event but for those of work after its end",
      sessions
        .filter(
          ({ endings, last_type, follow_ups }) =>
            endings !== 1 || (follow_ups === 0 && last_type !== "session.completed"),
        )
        .map(({ session_id, endings, last_type }) => `${session_id}: ${endings} endings, last ${last_type}`),
    ),
    finding(
      "all work after the end of a session ends",
      sessions
        .filter(({ open_follow_ups }) => open_follow_ups > 0)
        .map(({ session_id, open_follow_ups }) => `${session_id}: ${open_follow_ups} open`),
    ),
    finding(
      "no row comes from anyone but the owner of the session's lease",
      violations.map(({ what, session_id, pod }) => `${session_id}: ${what} by ${pod}`),
    ),
    finding("NATS logs no warning and no error", await serverComplaints(lab.natsDirectories, complaints)),
    ...(await checkToolCalls(lab, { sessions, toolCalls })),
    ...checkModelCalls(lab.model.calls, { sessions, claims, toolCalls, mayRepeat }),
    ...(await checkClients(lab.recorders, sessions)),
  );
  return findings;
}
