import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { Type } from "typebox";
import { jsonCodec } from "#shared/contracts/json-codec.ts";
import {
  MAX_DELTA_CODE_UNITS,
  streamChunkCodec,
  MAX_SNAPSHOT_TEXT_CODE_UNITS,
} from "#shared/contracts/stream-chunk.ts";
import {
  MAX_INLINE_PAYLOAD_BYTES,
  belongsToFeed,
  busEventCodec,
  knownPayload,
  parseStoredPayload,
  type SessionEventPayload,
} from "#shared/contracts/session-event.ts";
import { SUBJECTS, lastToken } from "#shared/contracts/subjects.ts";
import { sessionWakeupCodec } from "#shared/contracts/session-signals.ts";
import { isUuid } from "#shared/contracts/uuid.ts";
import { eventOfWire } from "#shared/contracts/wire-event.ts";
import { SESSION_STATUSES, TERMINAL_STATUSES, isTerminal } from "#shared/contracts/statuses.ts";

const ID = "a3bb189e-8bf9-4c4b-9c0e-0d1f2a3b4c5d";
const bytes = (text: string) => new TextEncoder().encode(text);

const PAYLOADS: readonly SessionEventPayload[] = [
  { type: "session.status", session_id: ID, status: "in_progress", timestamp: "t" },
  { type: "session.completed", session_id: ID, status: "failed", error_message: "no", timestamp: "t" },
  {
    type: "stage.started",
    session_id: ID,
    stage_id: ID,
    stage_name: "s",
    stage_index: 1,
    status: "active",
    timestamp: "t",
  },
  {
    type: "timeline_event.created",
    event_id: ID,
    session_id: ID,
    stage_id: ID,
    execution_id: ID,
    event_type: "llm_thinking",
    status: "streaming",
    content: "",
    sequence_number: 1,
    timestamp: "t",
  },
  {
    type: "timeline_event.completed",
    event_id: ID,
    session_id: ID,
    event_type: "final_analysis",
    status: "completed",
    content: "done",
    metadata: null,
    timestamp: "t",
  },
  {
    type: "approval.requested",
    session_id: ID,
    stage_id: ID,
    execution_id: ID,
    approval_id: ID,
    agent_name: "a",
    tool: "k8s.remove",
    arguments: "{}",
    arguments_complete: true,
    expires_at: "t",
    timestamp: "t",
  },
  {
    type: "approval.decided",
    session_id: ID,
    execution_id: ID,
    approval_id: ID,
    tool: "k8s.remove",
    state: "expired",
    decided_by: null,
    reason: null,
    timestamp: "t",
  },
  { type: "session.taken_over", session_id: ID, epoch: 2, silent_ms: 21_000, timestamp: "t" },
];

describe("messages of a newer version", () => {
  it("may have properties that this version does not know", () => {
    for (const payload of PAYLOADS) {
      const event = { session_id: ID, seq: 1, db_event_id: 1, payload: { ...payload, added: 1 }, added: {} };
      expect(busEventCodec.decode(bytes(JSON.stringify(event))).seq).to.equal(1);
    }
    const chunk = {
      type: "stream.chunk",
      timestamp: "t",
      session_id: ID,
      event_id: ID,
      attempt: 1,
      offset: 0,
      delta: "x",
    };
    expect(() =>
      sessionWakeupCodec.decode(bytes(JSON.stringify({ session_id: ID, added: 1 }))),
    ).to.not.throw();
    expect(() => streamChunkCodec.decode(bytes(JSON.stringify({ ...chunk, added: 1 })))).to.not.throw();
  });
});

describe("jsonCodec", () => {
  const codec = jsonCodec("thing", Type.Object({ name: Type.String() }));

  it("decodes what it encoded", () => {
    expect(codec.decode(codec.encode({ name: "é💾" }))).to.deep.equal({ name: "é💾" });
  });

  it("names what is wrong with malformed bytes", () => {
    const wrong: Record<string, RegExp> = {
      "{": /^malformed thing: not JSON/u,
      "[]": /^malformed thing: the value must be object$/u,
      "{}": /^malformed thing: the value must have required property 'name'$/u,
      '{"name":1}': /^malformed thing: name must be string$/u,
    };
    for (const [text, message] of Object.entries(wrong)) {
      expect(() => codec.decode(bytes(text)))
        .to.throw(message)
        .with.property("code", "malformed");
    }
    expect(() => codec.decode(new Uint8Array([0x22, 0xff, 0x22]))).to.throw(/not JSON/u);
    expect(() => codec.decode(new Uint8Array())).to.throw(/not JSON/u);
  });
});

describe("session events", () => {
  it("accept every kind of payload", () => {
    for (const payload of PAYLOADS) {
      expect(parseStoredPayload(payload)).to.equal(payload);
      const event = { session_id: ID, seq: 1, db_event_id: 9, payload };
      expect(busEventCodec.decode(busEventCodec.encode(event))).to.deep.equal(event);
    }
  });

  it("reject malformed payloads", () => {
    const [status] = PAYLOADS;
    for (const wrong of [
      { ...status, status: "done" },
      { ...status, session_id: "../x" },
      { ...PAYLOADS[3], sequence_number: 0 },
      null,
    ]) {
      expect(() => parseStoredPayload(wrong)).to.throw(/malformed session event payload/u);
    }
    const event = { session_id: ID, seq: 0, db_event_id: 1 };
    expect(() => busEventCodec.decode(bytes(JSON.stringify(event)))).to.throw(/seq must be >= 1/u);
  });

  it("keep what a later version adds: members, and events of types that are not known", () => {
    const later = {
      type: "session.later",
      session_id: ID,
      timestamp: "2026-01-31T12:00:00.000Z",
      added: [1],
    };
    const event = { session_id: ID, seq: 1, db_event_id: 9, payload: later };
    expect(busEventCodec.decode(bytes(JSON.stringify(event)))).to.deep.equal(event);
    const wire = { ...later, seq: 1, db_event_id: 9 };
    expect(eventOfWire(wire)).to.deep.equal({ seq: 1, db_event_id: 9, payload: later });
    expect(knownPayload(parseStoredPayload(later))).to.equal(undefined);
    expect(belongsToFeed(later)).to.equal(false);
    for (const payload of PAYLOADS) {
      const added = { ...payload, added: { by: "a later version" } };
      expect(knownPayload(parseStoredPayload(added))).to.equal(added);
    }
  });

  it("belong to the feed when they are about a session as a whole", () => {
    expect(PAYLOADS.map(belongsToFeed)).to.deep.equal([true, true, false, false, false, true, true, false]);
  });
});

describe("message sizes", () => {
  it("stay far below a megabyte, the server's default, in the worst encoding", () => {
    const chunk = streamChunkCodec.encode({
      type: "stream.chunk",
      session_id: ID,
      event_id: ID,
      attempt: 1,
      offset: 0,
      delta: "\u0001".repeat(MAX_DELTA_CODE_UNITS),
      timestamp: new Date(0).toISOString(),
    });
    expect(chunk.length).to.be.below(128 * 1024);
    expect(MAX_INLINE_PAYLOAD_BYTES).to.be.below(128 * 1024);
    expect(6 * MAX_SNAPSHOT_TEXT_CODE_UNITS).to.be.below(1_000_000);
  });
});

describe("subjects", () => {
  it("end with the session's id and match their wildcard", () => {
    const id = randomUUID();
    for (const subject of [SUBJECTS.events(id), SUBJECTS.feed(id), SUBJECTS.cancel(id)]) {
      expect(lastToken(subject)).to.equal(id);
      expect(subject.split(".")).to.have.length(3);
    }
  });
});

describe("isUuid", () => {
  it("accepts the hyphenated form only, so that no id can forge a subject", () => {
    expect([ID, ID.toUpperCase(), randomUUID()].every(isUuid)).to.equal(true);
    const wrong = ["", "*", ">", `${ID}.x`, ID.replaceAll("-", ""), `{${ID}}`, `${ID}\n`, ` ${ID}`];
    expect(wrong.filter(isUuid)).to.deep.equal([]);
    expect(() => sessionWakeupCodec.decode(bytes('{"session_id":"*"}'))).to.throw(/pattern/u);
  });
});

describe("isTerminal", () => {
  it("is true for the terminal statuses and for no other", () => {
    expect(SESSION_STATUSES.filter(isTerminal)).to.deep.equal([...TERMINAL_STATUSES]);
    expect(isTerminal("active")).to.equal(false);
    expect(isTerminal("streaming")).to.equal(false);
  });
});
