import type { ApiResponse } from "#shared/client/api-types.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { FactList } from "../../parts/fact-list.tsx";
import { durationText } from "../../parts/format.ts";
import { RARE_TEXT } from "../rare-text.ts";

type Health = ApiResponse<"GET /health">;

/** The state of each dependency, and how much is configured. */
export function HealthPanel({ health }: { readonly health: Health }) {
  const { columns, connections, counts } = RARE_TEXT.system;
  const { database, nats, configuration } = health;
  const answers: Readonly<Record<string, string>> = {
    database: durationText(database.response_time_ms),
    nats: durationText(nats.response_time_ms),
  };
  const notes: Readonly<Record<string, string | undefined>> = {
    database: database.error ?? connections(database.in_use, database.max_open_conns),
    nats: nats.error,
  };
  return (
    <>
      <DataTable
        caption={RARE_TEXT.system.checks}
        hidesCaption
        columns={[
          { text: columns.name },
          { text: columns.state },
          { text: columns.answer },
          { text: columns.note },
        ]}
        rows={Object.entries(health.checks).map(([name, check]) => ({
          key: name,
          cells: [
            name,
            <State
              isGood={check.status === "healthy"}
              text={check.status === "healthy" ? RARE_TEXT.system.works : RARE_TEXT.system.fails}
            />,
            answers[name] ?? "",
            check.message ?? notes[name] ?? "",
          ],
        }))}
      />
      <FactList
        rows={[
          [RARE_TEXT.system.auth, health.auth_mode],
          [counts.agents, String(configuration.agents)],
          [counts.chains, String(configuration.chains)],
          [counts.mcp_servers, String(configuration.mcp_servers)],
          [counts.llm_providers, String(configuration.llm_providers)],
        ]}
      />
    </>
  );
}

interface StateProps {
  readonly isGood: boolean;
  readonly text: string;
}

/** A state as a mark with a word. */
export function State({ isGood, text }: StateProps) {
  return (
    <span class={`state-mark ${isGood ? "good" : "bad"}`}>
      <span aria-hidden="true">{isGood ? "✓" : "✕"}</span> {text}
    </span>
  );
}
