import type { Cassette } from "#shared/cassette/cassette.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Database } from "#shared/database/database.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { Evidence } from "../../../services/executor/state/evidence.ts";
import { evidenceUpTo } from "./evidence-up-to.ts";
import type { RecordedSession } from "../recording/recorded-session.ts";

type Steering = Cassette["inputs"]["steering"][number];

const STEER = `
INSERT INTO steering_messages (message_id, session_id, ordinal, mode, content, author, execution_id, targets, after_stage,
                               after_agent, calls, is_from_alert)
VALUES ($1, $2, $3, $4, $5, $6, $7, ARRAY[$8::uuid], $9, $10, $11::uuid[], $12)
ON CONFLICT (message_id) DO UPDATE SET targets = array_append(steering_messages.targets, $8::uuid)`;

const LINK = `
INSERT INTO group_alerts (alert_id, session_id, ordinal, group_key, outcome, is_resolved, effect, author, data, bytes, received_at)
SELECT a.alert_id, $1, a.ordinal, 'replayed', CASE a.ordinal WHEN 1 THEN 'opened' ELSE 'linked' END, a.is_resolved, a.effect,
       'replay', a.data, octet_length(coalesce(a.data, '')), a.received_at
FROM json_to_recordset($2::json) AS a (alert_id uuid, ordinal integer, is_resolved boolean, effect text, data text,
                                       received_at timestamptz)
ON CONFLICT DO NOTHING`;

const DECIDE = `
UPDATE approvals SET state = $2, decided_at = now(), decided_by = 'replay', reason = $3
WHERE approval_id = $1 AND state = 'awaiting_approval'`;
const LET_EXPIRE = "UPDATE approvals SET expires_at = clock_timestamp() WHERE approval_id = $1";

const NOTIFY = `
UPDATE session_runtime SET inbox_seq = inbox_seq + 1, not_before = NULL WHERE session_id = $1 RETURNING inbox_seq`;
const parseInbox = compileParser("inbox", Type.Object({ inbox_seq: Type.Integer() }));

/** What came from outside in the recording, given again at the moment at which it was read. */
export class GivenInputs {
  readonly #db: Database;
  readonly #recorded: RecordedSession;
  /** Tells the session's owner that its inbox has this newest entry. */
  readonly #notice: (inboxSeq: number) => void;
  readonly #given = new Set<string>();

  constructor(parts: {
    readonly db: Database;
    readonly recorded: RecordedSession;
    readonly notice: (inboxSeq: number) => void;
  }) {
    this.#db = parts.db;
    this.#recorded = parts.recorded;
    this.#notice = parts.notice;
  }

  /**
   * Gives what the execution has read as the message of this number, or without a message before its call of this position; true if
   * there was something that was not given before. Throws database errors.
   */
  async give(executionId: string, nextMessage: number, position: number | null): Promise<boolean> {
    const { steering, evidence } = this.#recorded.cassette.inputs;
    const due = steering.filter(({ deliveries }) =>
      deliveries.some(
        ({ execution_id, message, before_call }) =>
          execution_id === executionId &&
          (message === null ? before_call === position : message === nextMessage),
      ),
    );
    const news = due.filter(({ message_id }) => !this.#given.has(`${message_id} ${executionId}`));
    for (const message of news) await this.#steer(executionId, message);
    const read = evidence.find(
      ({ execution_id, message }) => execution_id === executionId && message === nextMessage,
    );
    const isNew = read !== undefined && !this.#given.has(`${read.through} ${executionId}`);
    if (isNew) await this.#link(executionId, read.through);
    if (news.length === 0 && !isNew) return false;
    await this.#notify();
    return true;
  }

  /**
   * Gives the wish to conclude because of which the execution did not make a call, with what it read together with it; true if that
   * was not given before. Throws database errors.
   */
  async conclude(executionId: string): Promise<boolean> {
    const { steering, evidence } = this.#recorded.cassette.inputs;
    const isOpen = ({ message_id }: Steering) => !this.#given.has(`${message_id} ${executionId}`);
    const readAt = ({ deliveries }: Steering) =>
      deliveries.find(({ execution_id }) => execution_id === executionId)?.message;
    const wish = steering.find(
      (message) =>
        message.mode === "conclude" &&
        (message.targets?.includes(executionId) === true || readAt(message) !== undefined),
    );
    if (wish === undefined || !isOpen(wish)) return false;
    const message = readAt(wish);
    const together = steering.filter(
      (other) => other === wish || (message !== undefined && readAt(other) === message),
    );
    for (const other of together.filter(isOpen)) await this.#steer(executionId, other);
    const before = evidence.filter(
      (read) =>
        read.execution_id === executionId &&
        (read.message ?? Infinity) < (message ?? 0) &&
        !this.#given.has(`${read.through} ${executionId}`),
    );
    for (const { through } of before) await this.#link(executionId, through);
    await this.#notify();
    return true;
  }

  /** Of the alerts that an execution has not read, those that it read in the recording at this message. */
  evidence(executionId: string, unread: Evidence | null): Evidence | null {
    if (unread === null) return null;
    const { evidence, alerts } = this.#recorded.cassette.inputs;
    const read = evidence.find(
      ({ execution_id, through }) =>
        execution_id === executionId &&
        through > unread.through - unread.count &&
        this.#given.has(`${through} ${executionId}`),
    );
    return read === undefined ? null : evidenceUpTo(read.through, unread, alerts);
  }

  /** Decides the open questions as people decided them. */
  async decide(asked: readonly string[]): Promise<void> {
    const { approvals } = this.#recorded.cassette.inputs;
    let isDecided = false;
    for (const approval of approvals) {
      const { approval_id, state, reason, execution_id } = approval;
      if (!asked.includes(approval_id) || this.#given.has(approval_id)) continue;
      const execution = this.#recorded.execution(execution_id);
      const part = execution === undefined ? undefined : this.#recorded.partOf(execution);
      // It was closed without a decision.
      const isMoot = state === "expired" && part !== undefined && this.#recorded.endedEarly(part, execution);
      if (state === "awaiting_approval" || isMoot) continue;
      this.#given.add(approval_id);
      await (state === "expired"
        ? this.#db.query(LET_EXPIRE, [approval_id])
        : this.#db.query(DECIDE, [approval_id, state, reason]));
      isDecided = true;
    }
    if (isDecided) await this.#notify();
  }

  async #steer(executionId: string, message: Steering): Promise<void> {
    this.#given.add(`${message.message_id} ${executionId}`);
    await this.#db.query(STEER, [
      message.message_id,
      this.#sessionId,
      message.ordinal,
      message.mode,
      message.content,
      message.author,
      message.execution_id,
      executionId,
      message.after_stage,
      message.after_agent,
      message.calls,
      message.is_from_alert,
    ]);
  }

  async #link(executionId: string, through: number): Promise<void> {
    this.#given.add(`${through} ${executionId}`);
    const { alerts } = this.#recorded.cassette.inputs;
    const due = alerts.filter(({ ordinal }) => ordinal <= through);
    await this.#db.query(LINK, [this.#sessionId, JSON.stringify(due)]);
  }

  async #notify(): Promise<void> {
    const [row] = await selectRows(this.#db, parseInbox, NOTIFY, [this.#sessionId]);
    if (row !== undefined) this.#notice(row.inbox_seq);
  }

  get #sessionId(): string {
    return this.#recorded.cassette.session.session_id;
  }
}
