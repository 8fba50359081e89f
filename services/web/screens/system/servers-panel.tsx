import type { ApiResponse } from "#shared/client/api-types.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { Age } from "../../parts/time.tsx";
import { shownText } from "../../session/shown-text.ts";
import { LATER_TEXT } from "../session/later/later-text.ts";
import { RARE_TEXT } from "../rare-text.ts";
import { State } from "./health-panel.tsx";

export type McpServer = ApiResponse<"GET /api/v1/system/mcp-servers">["servers"][number];

/** Every MCP server with its tools; those that fail are open. */
export function ServersPanel({ servers }: { readonly servers: readonly McpServer[] }) {
  if (servers.length === 0) return <p class="soft">{RARE_TEXT.system.noServers}</p>;
  return (
    <div class="servers">
      {servers.map((server) => (
        <ServerDetails key={server.id} server={server} />
      ))}
    </div>
  );
}

function ServerDetails({ server }: { readonly server: McpServer }) {
  const { columns, states } = RARE_TEXT.system;
  const { id, state, healthy, tools, error, last_check, version, runners } = server;
  return (
    <details open={!healthy}>
      <summary>
        <strong>{id}</strong>{" "}
        {state === "unused" ? (
          <span class="soft">{states.unused}</span>
        ) : (
          <State isGood={healthy} text={states[state]} />
        )}{" "}
        <span class="soft small">
          {RARE_TEXT.system.tools(tools.length)}
          {version !== null && ` · ${version}`}
          {last_check !== null && (
            <>
              {" · "}
              <Age time={last_check} />
            </>
          )}
        </span>
      </summary>
      {error !== null && <p class="server-error">{shownText(error)}</p>}
      {tools.length > 0 && (
        <DataTable
          caption={`${id}: ${RARE_TEXT.system.tools(tools.length)}`}
          hidesCaption
          columns={[{ text: columns.name }, { text: columns.effect }, { text: columns.description }]}
          rows={tools.map((tool) => ({
            key: tool.name,
            cells: [<code>{shownText(tool.name)}</code>, effectText(tool), shownText(tool.description)],
          }))}
        />
      )}
      {runners.length > 0 && (
        <DataTable
          caption={`${id}: ${columns.runners}`}
          columns={[
            { text: columns.runners },
            { text: columns.host },
            { text: columns.state },
            { text: columns.checked },
            { text: columns.error },
          ]}
          rows={runners.map((runner) => ({
            key: runner.id,
            cells: [
              runner.id,
              runner.host,
              states[runner.state],
              runner.last_check === null ? "" : <Age time={runner.last_check} />,
              runner.error ?? "",
            ],
          }))}
        />
      )}
    </details>
  );
}

function effectText({ effect, effect_known }: McpServer["tools"][number]): string {
  if (effect === undefined || effect_known === false) return RARE_TEXT.system.unknownEffect;
  return LATER_TEXT.approval.effects[effect];
}
