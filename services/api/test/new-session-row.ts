import { randomUUID } from "node:crypto";
import type { NewSession } from "../alerts/new-session.ts";

/** A session as the submission of an alert inserts it. */
export function newSessionRow(fields: Partial<NewSession> = {}): NewSession {
  return {
    sessionId: randomUUID(),
    data: 'a "quoted" \\ line\n\u0001 😀',
    alertType: "test",
    lane: "normal",
    author: "ann",
    owner: null,
    teams: [],
    submitter: { subject: "ann", via: "key", peer: null },
    runbook: null,
    slackFingerprint: null,
    notify: null,
    mcpSelection: null,
    chainId: "chain",
    config: { hash: "h", json: '{"a":1}' },
    textHashes: [],
    metadata: null,
    maskKey: "key",
    maskedValues: [],
    traceContext: null,
    ...fields,
  };
}
