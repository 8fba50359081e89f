import { useEffect, useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { RARE_TEXT } from "../rare-text.ts";
import { TEXT } from "../../text.ts";
import { withServer, withTool, type AlertDraft } from "./alert-draft.ts";
import type { McpServer } from "../system/servers-panel.tsx";

const { submit: texts } = RARE_TEXT;

interface ToolChoiceProps {
  readonly draft: AlertDraft;
  readonly onChange: (draft: AlertDraft) => void;
}

/** Reads the servers when they are first wanted. */
function useServers(isWanted: boolean): readonly McpServer[] | undefined {
  const [servers, setServers] = useState<readonly McpServer[]>();
  useEffect(() => {
    if (!isWanted) return undefined;
    const ending = new AbortController();
    api.call("GET /api/v1/system/mcp-servers", { signal: ending.signal }).then(
      (read) => setServers(read.servers),
      () => setServers([]),
    );
    return () => ending.abort();
  }, [isWanted]);
  return servers;
}

/** Which servers and tools the agents get: those of the chain, or a choice. */
export function ToolChoice({ draft, onChange }: ToolChoiceProps) {
  const isChosen = draft.servers !== undefined;
  const servers = useServers(isChosen);
  return (
    <fieldset class="tool-choice">
      <legend>{texts.tools}</legend>
      <label>
        <input
          type="radio"
          name="tools"
          checked={!isChosen}
          onChange={() => onChange({ ...draft, servers: undefined })}
        />
        {texts.chainTools}
      </label>
      <label>
        <input
          type="radio"
          name="tools"
          checked={isChosen}
          onChange={() => onChange({ ...draft, servers: new Map() })}
        />
        {texts.chooseTools}
      </label>
      {isChosen && servers === undefined && <p class="soft">{TEXT.app.loading}</p>}
      {isChosen && servers?.length === 0 && <p class="soft">{texts.noServers}</p>}
      {isChosen &&
        servers?.map((server) => (
          <ServerChoice key={server.id} server={server} draft={draft} onChange={onChange} />
        ))}
    </fieldset>
  );
}

function ServerChoice({ server, draft, onChange }: ToolChoiceProps & { readonly server: McpServer }) {
  const isSelected = draft.servers?.has(server.id) ?? false;
  const selected = draft.servers?.get(server.id);
  const all = server.tools.map(({ name }) => name);
  return (
    <div class="server-choice">
      <label>
        <input
          type="checkbox"
          checked={isSelected}
          onChange={(event) => onChange(withServer(draft, server.id, event.currentTarget.checked))}
        />
        {server.id}
        <span class="soft small">{server.healthy ? texts.toolCount(all.length) : texts.unhealthy}</span>
      </label>
      {isSelected && all.length > 0 && (
        <details>
          <summary>
            {selected === undefined ? texts.allTools : texts.someTools(selected.size, all.length)}
          </summary>
          <div class="tool-names">
            {all.map((tool) => (
              <label key={tool}>
                <input
                  type="checkbox"
                  checked={selected === undefined || selected.has(tool)}
                  onChange={(event) =>
                    onChange(withTool(draft, { server: server.id, tool, all }, event.currentTarget.checked))
                  }
                />
                <span class="mono">{tool}</span>
              </label>
            ))}
          </div>
        </details>
      )}
    </div>
  );
}
