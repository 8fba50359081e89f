import { safeCut } from "#shared/safe-cut.ts";
import type { ApiResponse } from "#shared/client/api-types.ts";
import { divergenceText } from "#shared/client/divergence-text.ts";
import { fullTimeText } from "#shared/client/time-text.ts";
import { isUuid } from "#shared/contracts/uuid.ts";
import { UsageError, type Command, type Terminal } from "../command.ts";
import { API_OPTION, JSON_OPTION, apiOf, sessionOf } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";
import { durationText, printable } from "../terminal/terminal-style.ts";

type Comparison = ApiResponse<"GET /api/v1/sessions/:id/comparison">;

const WIDTH = 12;
const TITLE_WIDTH = 36;

/** `tarsy compare SESSION SESSION` */
export const compareCommand: Command = {
  name: "compare",
  args: "SESSION SESSION",
  maxArgs: 2,
  summary: "Shows where two sessions first differ, with cost, duration and conclusion of each",
  details: "Ends with exit code 0 whether they differ or not; --json has every step.",
  options: { ...JSON_OPTION, ...API_OPTION },
  run: async (call) => {
    const id = sessionOf(call);
    const other = call.positionals[1];
    if (other === undefined || !isUuid(other)) {
      throw new UsageError("compare needs the ids of two sessions: npm run tarsy -- list shows them");
    }
    const { terminal, signal } = call;
    const compared = await apiOf(call).call("GET /api/v1/sessions/:id/comparison", {
      params: { id },
      query: { with: other.toLowerCase() },
      signal,
    });
    if (call.flag("json")) terminal.write(`${JSON.stringify(compared, undefined, 2)}\n`);
    else show(compared, terminal);
    return EXIT.done;
  },
};

function show({ a, b, executions, first_divergence: first }: Comparison, terminal: Terminal): void {
  const { write, style } = terminal;
  const usd = ({ estimated_cost_usd: cost }: Comparison["a"]) =>
    cost === null ? "-" : `$${cost.toFixed(6)}`;
  const words = (status: string) => status.replaceAll("_", " ");
  const titleOf = ({ alert_preview }: Comparison["a"]) => {
    const title = printable(alert_preview).replaceAll(/\s+/gu, " ");
    return title.slice(0, safeCut(title, TITLE_WIDTH));
  };
  const startOf = ({ created_at }: Comparison["a"]) => fullTimeText(Date.parse(created_at), "utc");
  const took = ({ duration_ms: ms }: Comparison["a"]) => (ms === null ? "-" : durationText(ms));
  const rows: [string, string, string][] = [
    ["session", a.session_id, b.session_id],
    ["alert", titleOf(a), titleOf(b)],
    ["submitted", startOf(a), startOf(b)],
    ["status", words(a.status), words(b.status)],
    ["providers", printable(a.llm_providers.join(", ")), printable(b.llm_providers.join(", "))],
    ["LLM calls", String(a.llm_calls), String(b.llm_calls)],
    ["tool calls", String(a.tool_calls), String(b.tool_calls)],
    ["tokens", String(a.total_tokens), String(b.total_tokens)],
    ["cost", usd(a), usd(b)],
    ["took", took(a), took(b)],
  ];
  const middle = Math.max(...rows.map(([, left]) => left.length));
  for (const [name, left, right] of rows) {
    write(`${name.padEnd(WIDTH)}${left.padEnd(middle)}  ${right}\n`);
  }
  for (const { agent_name, steps } of executions) {
    const equal = steps.filter((step) => step.equal).length;
    write(`\n▶ ${printable(agent_name)}: ${equal} of ${steps.length} steps are the same\n`);
  }
  if (first === null) {
    write(`\n${style.bold("The sessions are the same, step by step.")}\n`);
  } else {
    const { text_a, text_b } = first;
    write(`\n${style.bold("First different step")}: ${printable(divergenceText(first))}\n`);
    write(`  first:  ${printable(text_a ?? "nothing")}\n  second: ${printable(text_b ?? "nothing")}\n`);
  }
  if (a.final_analysis === b.final_analysis) return;
  for (const [name, text] of [
    ["first", a.final_analysis],
    ["second", b.final_analysis],
  ] as const) {
    write(`\n${style.bold(`Final analysis of the ${name}`)}\n${printable(text ?? "none")}\n`);
  }
}
