import { uuidFrom } from "#shared/uuid-from.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { toolCallId, MAX_CALLS_PER_ANSWER } from "#shared/contracts/tool-call.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";

const Execution = Type.Object({
  execution_id: Type.String(),
  stage_id: Type.String(),
  stage_index: Type.Integer(),
  agent_index: Type.Integer(),
  parent_execution_id: Type.Union([Type.String(), Type.Null()]),
  iteration: Type.Integer(),
});
type Execution = Static<typeof Execution>;
const parseExecution = compileParser("execution of a session", Execution);

const EXECUTIONS = `
SELECT e.execution_id, e.stage_id, s.stage_index, e.agent_index, e.parent_execution_id,
       coalesce((e.iteration_state ->> 'iteration')::int, 0) AS iteration
FROM agent_executions e JOIN stages s USING (stage_id) WHERE e.session_id = $1
ORDER BY e.parent_execution_id IS NOT NULL, s.stage_index, e.agent_index`;

/** Every id of a row of the session that another text may have. */
const IDS = `
SELECT message_id::text AS id FROM messages WHERE session_id = $1
UNION ALL SELECT event_id::text FROM timeline_events WHERE session_id = $1
UNION ALL SELECT interaction_id::text FROM llm_interactions WHERE session_id = $1
UNION ALL SELECT interaction_id::text FROM mcp_interactions WHERE session_id = $1
UNION ALL SELECT approval_id::text FROM approvals WHERE session_id = $1
UNION ALL SELECT message_id::text FROM steering_messages WHERE session_id = $1
UNION ALL SELECT call_id FROM tool_calls WHERE session_id = $1
UNION ALL SELECT call_id FROM tool_results WHERE session_id = $1`;
const parseId = compileParser("id of a row", Type.Object({ id: Type.String() }));

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gu;
/** The rows that one LLM call may stream into: `services/executor/persist/timeline-writer.ts`. */
const STREAMS = ["thinking", "thought", "response", "answer", "summary"];

/**
 * The ids of a fork's rows by those of its parent. Those of stages, executions, calls and open rows are the ones that an executor derives in
 * the fork, so that it goes on with the copied rows as after a takeover. Every other row gets one that derives from its parent's id.
 */
export class ForkIds {
  readonly #fork: string;
  readonly #ids = new Map<string, string>();
  readonly #executions: Readonly<Record<string, string>>;

  private constructor(parts: {
    parent: string;
    fork: string;
    executions: readonly Execution[];
    ids: readonly string[];
  }) {
    this.#fork = parts.fork;
    for (const id of parts.ids) this.#ids.set(id, uuidFrom(id, this.#fork));
    this.#ids.set(parts.parent, this.#fork);
    for (const execution of parts.executions) this.#addExecution(parts.parent, execution);
    this.#addSubAgents(parts.executions);
    for (const execution of parts.executions) this.#addSteps(execution);
    this.#executions = Object.fromEntries(
      parts.executions.map(({ execution_id: id }) => [id, this.of(id)] as const),
    );
  }

  /** Reads the ids of the parent's rows, also of those that the fork does not have: its record of tool calls names them. */
  static async read(db: Queryable, parent: string, fork: string): Promise<ForkIds> {
    const executions = await selectRows(db, parseExecution, EXECUTIONS, [parent]);
    const rows = await selectRows(db, parseId, IDS, [parent]);
    return new ForkIds({ parent, fork, executions, ids: rows.map(({ id }) => id) });
  }

  /** The executions of the fork by those of its parent. */
  get executions(): Readonly<Record<string, string>> {
    return this.#executions;
  }

  /** The id in the fork; one that is none of the parent's rows stays. */
  of(id: string): string {
    return this.#ids.get(id) ?? id;
  }

  /** A text, such as rows as JSON, with the ids of the fork. */
  rewrite(text: string): string {
    return text.replaceAll(UUID, (id) => this.of(id));
  }

  #addExecution(parent: string, { execution_id, stage_id, stage_index, agent_index }: Execution): void {
    const isOfChain = stage_id === uuidFrom(`stage:${stage_index}`, parent);
    const stage = isOfChain ? uuidFrom(`stage:${stage_index}`, this.#fork) : uuidFrom(stage_id, this.#fork);
    this.#ids.set(stage_id, stage);
    const isDerived = execution_id === uuidFrom(`execution:${agent_index}`, stage_id);
    const execution = isDerived
      ? uuidFrom(`execution:${agent_index}`, stage)
      : uuidFrom(execution_id, this.#fork);
    this.#ids.set(execution_id, execution);
  }

  /** Their ids derive from those of the calls that started them. */
  #addSubAgents(executions: readonly Execution[]): void {
    for (const parent of executions) {
      const children = new Set(
        executions
          .filter((one) => one.parent_execution_id === parent.execution_id)
          .map((one) => one.execution_id),
      );
      if (children.size === 0) continue;
      for (let iteration = 0; iteration <= parent.iteration + 1 && children.size > 0; iteration += 1) {
        for (let index = 0; index < MAX_CALLS_PER_ANSWER; index += 1) {
          const child = uuidFrom("sub-agent", toolCallId(parent.execution_id, { iteration, index }));
          if (!children.delete(child)) continue;
          const callId = toolCallId(this.of(parent.execution_id), { iteration, index });
          this.#ids.set(child, uuidFrom("sub-agent", callId));
        }
      }
    }
  }

  /** What an executor looks up by an id that it derives: calls, their rows and approvals, and rows that are being written. */
  #addSteps({ execution_id: old, iteration: last }: Execution): void {
    const current = this.of(old);
    const add = (idOf: (execution: string) => string): void => {
      const id = idOf(old);
      // Only of rows that there are: most places have none.
      if (this.#ids.has(id)) this.#ids.set(id, idOf(current));
    };
    for (let iteration = 0; iteration <= last + 1; iteration += 1) {
      for (const kind of STREAMS) add((execution) => uuidFrom(`timeline:${iteration}:${kind}`, execution));
      for (let index = 0; index < MAX_CALLS_PER_ANSWER; index += 1) {
        const callId = (execution: string): string => toolCallId(execution, { iteration, index });
        const isCall = this.#ids.has(uuidFrom(`mcp:${iteration}:${index}`, old));
        add((execution) => uuidFrom(`timeline:${iteration}:row:call:${index}`, execution));
        if (
          !isCall &&
          !this.#ids.has(uuidFrom(`timeline:${iteration}:row:call:${index}`, old)) &&
          !this.#ids.has(uuidFrom("approval", callId(old)))
        ) {
          // The calls of an answer have places from 0 without a gap.
          break;
        }
        add((execution) => uuidFrom(`mcp:${iteration}:${index}`, execution));
        this.#ids.set(callId(old), callId(current));
        add((execution) => uuidFrom("approval", callId(execution)));
      }
    }
  }
}
